import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { localAccount } from '../local-account.ts'

const resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
})

const document = z.object({ Resources: z.record(z.string(), resource) })

export interface Resource<Properties> {
  /** The logical id. */
  readonly id: string
  /** The name in the CDK app, such as `query-table`. */
  readonly name: string
  readonly properties: Properties
  readonly metadata: Readonly<Record<string, unknown>>
}

/** A stack as it was synthesized. */
export interface Template {
  /** The cloud assembly, where the assets are. */
  readonly directory: string
  /** All resources of a type. Throws one message that names what is missing in a resource, or wrong. */
  readonly listResources: <Properties>(type: string, schema: z.ZodType<Properties>) => readonly Resource<Properties>[]
}

/** Reads the template of a stage from a cloud assembly. Throws when there is none. */
export function readTemplate(directory: string, stage: string): Template {
  const file = templateFile(directory, stage)
  if (!existsSync(file)) throw new Error(`${file} is missing: "npm run synth -- -c stage=${stage}" writes it`)
  const text = inLocalAccount(readFileSync(file, 'utf8'), readEnvironment(directory, stage))
  const resources = Object.entries(document.parse(parseJson(text, file, stage)).Resources)
  return {
    directory,
    listResources: (type, schema) =>
      resources.flatMap(([id, { Type, Properties, Metadata }]) => {
        if (Type !== type) return []
        const parsed = schema.safeParse(Properties)
        if (!parsed.success) throw new Error(`${id} (${type}) has an unexpected form: ${z.prettifyError(parsed.error)}`)
        return [{ id, name: resourceName(id, Metadata['aws:cdk:path']), properties: parsed.data, metadata: Metadata }]
      }),
  }
}

/** A full disk leaves a part of a file, which the parser's own message would not name. */
function parseJson(text: string, file: string, stage: string): unknown {
  const parsed = readJson(text)
  if (parsed === undefined)
    throw new Error(`${file} is no whole JSON: "npm run synth -- -c stage=${stage}" writes it anew`)
  return parsed
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Environment {
  readonly account: string
  readonly region: string
}

const manifest = z.object({ artifacts: z.record(z.string(), z.object({ environment: z.string().optional() })) })

/** Returns the account and region of a stage; `undefined` if the assembly does not name them. */
function readEnvironment(directory: string, stage: string): Environment | undefined {
  const file = join(directory, 'manifest.json')
  if (!existsSync(file)) return undefined
  const { artifacts } = manifest.parse(parseJson(readFileSync(file, 'utf8'), file, stage))
  const [, account, region] = /^aws:\/\/(.+)\/(.+)$/.exec(artifacts[`table-control-${stage}`]?.environment ?? '') ?? []
  return account && region ? { account, region } : undefined
}

/** A template names the account and the region of its stage in ARNs and hosts; here both are the local ones. */
const inLocalAccount = (text: string, environment: Environment | undefined): string =>
  environment === undefined
    ? text
    : text.replaceAll(environment.account, localAccount.id).replaceAll(environment.region, localAccount.region)

export const templateFile = (directory: string, stage: string): string =>
  join(directory, `table-control-${stage}.template.json`)

/** The path without the stack and without the CDK's own last part. */
function resourceName(id: string, path: unknown): string {
  if (typeof path !== 'string') return id
  return path.split('/').slice(1, -1).join('/') || id
}

/** The logical ids that a value refers to. */
export function referencedIds(value: unknown): readonly string[] {
  const found = JSON.stringify(value).matchAll(/"(?:Ref":"|Fn::GetAtt":(?:\["|"))([A-Za-z0-9]+)/g)
  return [...new Set([...found].map(([, id]) => id ?? ''))]
}
