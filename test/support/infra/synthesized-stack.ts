import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Template } from 'aws-cdk-lib/assertions'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { ArtifactMetadataEntryType } from 'aws-cdk-lib/cloud-assembly-schema'
import { App, type AppProps } from 'aws-cdk-lib/core'
import { inject } from 'vitest'
import * as z from 'zod'
import { readTemplateOptions } from '../../../infra/checks/stage-template.ts'
import { readOrCreate } from '../../../infra/local/local-directory.ts'
import { parseStage, type StageSettings } from '../../../infra/settings/stage-settings.ts'
import { ServiceStack } from '../../../infra/stack/service-stack.ts'

/** The settings that every stage requires. */
export const smallStage: StageSettings = {
  region: 'eu-central-1',
  auth: {
    issuer: 'https://login.example.com',
    audience: ['tables'],
    jwksUrl: 'https://login.example.com/.well-known/jwks.json',
  },
  database: {
    kind: 'existing',
    secretArn: 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:tables-AbCdEf',
    connections: 100,
  },
}

/** A stage with most of its settings, on a database that the stack creates. */
export const fullStage: StageSettings = {
  region: 'eu-central-1',
  account: '111111111111',
  deletionProtection: 'on',
  domain: {
    http: 'tables.example.com',
    sockets: 'sockets.tables.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:111111111111:certificate/1',
    hostedZone: { id: 'Z0000000000000', name: 'example.com' },
  },
  auth: { userPoolId: 'eu-central-1_AbCdEf123', clientIds: ['one', 'two'] },
  allowedOrigins: ['https://app.example.com', 'https://other.example.com'],
  allowedHeaders: ['X-Tenant'],
  timeZone: 'Asia/Riyadh',
  mail: {
    sender: 'Table Control <reports@example.com>',
    domains: ['example.com'],
    addresses: ['auditor@example.org'],
    linkDays: 30,
    alerts: ['operations@example.com'],
  },
  database: { kind: 'created', minCapacity: 0.5, maxCapacity: 8, connections: 300, readers: 1, natGateways: 2 },
  requestsPerSecond: 200,
  maxConcurrentReports: 4,
}

const synthesized = new Map<string, SynthesizedStack>()

/**
 * The stack of a stage with functions that do nothing: what they hold is not what is asked here. Callers must not
 * change it. The first process of the run synthesizes it, which takes up to half a second of a processor.
 */
export function synthesize(settings: StageSettings): SynthesizedStack {
  const key = createHash('sha256').update(JSON.stringify(settings)).digest('hex')
  const stack = synthesized.get(key) ?? readStack(settings, key)
  synthesized.set(key, stack)
  return stack
}

function readStack(settings: StageSettings, key: string) {
  const template = readOrCreate(join(inject('sharedDirectory'), `${key}.template.json`), () =>
    JSON.stringify(Template.fromStack(createStack(settings)).toJSON()),
  )
  return readTemplate(Template.fromJSON(JSON.parse(template)))
}

/** Throws what the template of a stage breaks of CloudFormation's own rules, as `npm run synth` does. */
export function validateStack(settings: StageSettings): void {
  Template.fromStack(createStack(settings, { ...readTemplateOptions(), builtinCloudFormationValidation: true }))
}

/** The warnings of a stage, which its constructs give before anything is synthesized. */
export const listWarnings = (settings: StageSettings): readonly string[] =>
  createStack(settings)
    .node.findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => type === ArtifactMetadataEntryType.WARN)
    .map(({ data }) => String(data))

/** The constructs of a stage, before anything is synthesized. */
export function createStack(settings: StageSettings, options: AppProps = readTemplateOptions()): ServiceStack {
  const app = new App(options)
  const functionCode = () => Code.fromInline('export const handler = () => {}')
  return new ServiceStack(app, 'stack', { stage: parseStage('test', settings), loadCode: functionCode })
}

const resource = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) })
const document = z.object({
  Resources: z.record(z.string(), resource),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown(), Description: z.string() })),
})

function readTemplate(template: Template) {
  const { Resources, Outputs } = document.parse(template.toJSON())
  /** The properties of all resources of a type, by logical id. */
  const listResources = <Output>(type: string, schema: z.ZodType<Output>): ReadonlyMap<string, Output> => {
    const found = Object.entries(Resources).filter(([, { Type }]) => Type === type)
    return new Map(found.map(([id, { Properties }]) => [id, schema.parse(Properties)]))
  }
  return { template, resources: Resources, outputs: Outputs, listResources }
}

export type SynthesizedStack = ReturnType<typeof readStack>

const lambda = z.object({
  Description: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
  Timeout: z.number(),
  ReservedConcurrentExecutions: z.number().optional(),
})

/** The functions of a stack by the names of their files in functions/, each with its logical id. */
export function listFunctions({ listResources }: SynthesizedStack) {
  const named = [...listResources('AWS::Lambda::Function', lambda)].map(([id, properties]) => {
    const name = /^functions\/(.+)\.ts /.exec(properties.Description)?.[1] ?? id
    return [name, { id, ...properties }] as const
  })
  return new Map(named)
}

/** The one logical id that a value refers to. */
export function referredTo(value: unknown): string {
  const ids = [...JSON.stringify(value).matchAll(/"(?:Ref":"|Fn::GetAtt":\[")([A-Za-z0-9]+)"/g)].map(([, id]) => id)
  const [id, ...others] = [...new Set(ids)]
  if (id === undefined || others.length > 0)
    throw new Error(`${JSON.stringify(value)} refers to ${ids.length} resources`)
  return id
}
