import type { Config } from '../config.ts'
import type { Language } from '../i18n/language.ts'
import { guardBasePath, type Route, routes } from '../routes.ts'
import { type DescribedTable, type NamedTable, namedTables } from './described-table.ts'
import { endpointBodies } from './endpoint-bodies.ts'
import { endpointParameters } from './endpoint-parameters.ts'
import type { ExampleAnswers } from './example-answers.ts'
import type { JsonSchema, Schemas } from './json-schema.ts'
import { failureResponses, responsesOf } from './responses.ts'
import { tableSchemas } from './table-schemas.ts'
import { wireSchemas } from './wire-schemas.ts'

/** What a document is about. */
export interface Described {
  readonly service: Pick<Config, 'SERVICE_NAME' | 'GUARDS' | 'ITEM_ACTIONS'>
  /** Scheme and host without a final slash, or nothing. */
  readonly baseUrl: string
  readonly language: Language
  /** On each guard the tables that may be known there, each as it may be known. */
  readonly tables: readonly DescribedTable[]
  /** Real answers of one guard. */
  readonly examples?: { readonly guard: string; readonly answers: ExampleAnswers }
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, JsonSchema>>
  readonly components: { readonly schemas: Schemas; readonly [kind: string]: JsonSchema }
  readonly [key: string]: unknown
}

/** The OpenAPI document of a service: one operation for each route of each guard, and the schemas of each table. */
export function openApiDocument(described: Described): OpenApiDocument {
  const { service, baseUrl, language } = described
  const tables = namedTables(described.tables)
  const options = { itemActions: service.ITEM_ACTIONS, language }
  const ofTables = new Map(tables.map((table) => [table.name, table]))
  return {
    openapi: '3.1.1',
    info: {
      title: service.SERVICE_NAME,
      version: '1.0.0',
      description:
        'Server-driven data tables. Success is 200 with `success: true`; every failure has the schema `Failure`.',
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: baseUrl === '' ? '/' : baseUrl }],
    security: [{ accessToken: [] }],
    tags: service.GUARDS.map((guard) => ({ name: guard, description: guardWords(guard) })),
    paths: Object.assign({}, ...service.GUARDS.map((guard) => pathsOf(guard, tables, described))),
    components: {
      schemas: Object.assign(wireSchemas(), ...[...ofTables.values()].map((table) => tableSchemas(table, options))),
      responses: failureResponses(),
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}

const guardWords = (guard: string): string =>
  guard === 'web'
    ? 'For browsers; it does not know actions with `showInWeb: false`'
    : `Behind \`/${guard}\`; the same token works on every guard`

function pathsOf(guard: string, tables: readonly NamedTable[], { service, examples }: Described) {
  const own = tables.filter((table) => table.guard === guard)
  const entries = routes.flatMap((route: (typeof routes)[number]) =>
    route.paths.map((path: string) => {
      const example = examples?.guard === guard ? examples.answers[route.name] : undefined
      const operation = {
        operationId: operationId(service.SERVICE_NAME, guard, route, path),
        summary: route.purpose,
        tags: [guard],
        ...(route.name === 'download' && { security: [] }),
        parameters: endpointParameters(route.name, path, own),
        ...requestOf(route.name, own, example?.body),
        responses: responsesOf(route.name, own, example),
      }
      return [`${guardBasePath(guard)}${path}`, { [route.method.toLowerCase()]: operation }] as const
    }),
  )
  return Object.fromEntries(entries)
}

/** `service.guard.route`; a path with an optional parameter adds the parameter's name, since an id stands for one operation. */
function operationId(service: string, guard: string, { name, paths }: Route, path: string): string {
  const id = `${service}.${guard}.${name}`
  return path === paths[0] ? id : `${id}.${/\{(\w+)\}$/.exec(path)?.[1] ?? ''}`
}

function requestOf(name: (typeof routes)[number]['name'], tables: readonly NamedTable[], example: unknown): JsonSchema {
  const schema = endpointBodies[name].request?.(tables)
  if (schema === undefined) return {}
  const examples = example === undefined ? {} : { examples: { real: { value: example } } }
  return { requestBody: { content: { 'application/json': { schema, ...examples } } } }
}
