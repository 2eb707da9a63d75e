import type { StackTemplate } from './stage-template.ts'

/** How much of a quota of CloudFormation a template takes. */
export interface QuotaUse {
  readonly name: string
  readonly used: number
  /** Limits for the templates of this project. They are below the quotas of AWS, to leave room for the next change. */
  readonly allowed: number
  readonly quota: number
  /** The section of infra/README.md that says what to do when it is exceeded. */
  readonly section: string
}

interface Quota {
  readonly quota: number
  /** Default: nine tenths of the quota. */
  readonly allowed?: number
  readonly countUsed: (template: StackTemplate) => number
  /** The section of infra/README.md that says what to do when it is exceeded. */
  readonly section?: string
}

/**
 * The quotas of https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html. AWS does
 * not say whether it counts a reference once or as often as it is written: here each counts.
 */
const quotas: Readonly<Record<string, Quota>> = {
  'dynamic references': {
    quota: 60,
    allowed: 45,
    countUsed: countReferences,
    section: 'When the template has no room for another reference',
  },
  resources: { quota: 500, countUsed: ({ Resources }) => count(Resources) },
  outputs: { quota: 200, countUsed: ({ Outputs }) => count(Outputs) },
  parameters: { quota: 200, countUsed: ({ Parameters }) => count(Parameters) },
  mappings: { quota: 200, countUsed: ({ Mappings }) => count(Mappings) },
  'attributes of a mapping': { quota: 200, countUsed: ({ Mappings }) => largest(Object.values(Mappings).map(count)) },
  'bytes of the template': { quota: 1_000_000, countUsed: (template) => Buffer.byteLength(templateText(template)) },
  'characters of a name': {
    quota: 255,
    countUsed: (template) => largest(namesIn(template).map(({ length }) => length)),
  },
  'bytes of the description': { quota: 1_024, countUsed: ({ Description }) => Buffer.byteLength(Description) },
  'bytes of a function’s variables': { quota: 4_096, countUsed: (template) => largest(variableBytes(template)) },
  'bytes of a role’s policies': { quota: 10_240, countUsed: (template) => largest(policyBytes(template)) },
}

/** As the CDK writes it to a file, which is what CloudFormation reads. */
const templateText = (template: StackTemplate): string => JSON.stringify(template, undefined, 1)

const count = (record: object): number => Object.keys(record).length
const largest = (numbers: readonly number[]): number => Math.max(0, ...numbers)

function countReferences(template: StackTemplate): number {
  return JSON.stringify(template).match(/\{\{resolve:/g)?.length ?? 0
}

const namesIn = ({ Resources, Outputs, Parameters, Mappings }: StackTemplate): readonly string[] =>
  [Resources, Outputs, Parameters, Mappings].flatMap((section) => Object.keys(section))

/**
 * Lambda takes 4 KB of variables. A reference counts with what usually stands for it at most: a URL, a password, an
 * ARN.
 */
function variableBytes({ Resources }: StackTemplate): readonly number[] {
  return listProperties(Resources, 'AWS::Lambda::Function').map((properties) =>
    Buffer.byteLength(JSON.stringify(properties['Environment'] ?? '')),
  )
}

/** IAM takes 10,240 characters of inline policies for a role. */
function policyBytes({ Resources }: StackTemplate): readonly number[] {
  const byRole = new Map<string, number>()
  for (const { Roles, PolicyDocument } of listProperties(Resources, 'AWS::IAM::Policy')) {
    const role = JSON.stringify(Roles)
    byRole.set(role, (byRole.get(role) ?? 0) + JSON.stringify(PolicyDocument).length)
  }
  return [...byRole.values()]
}

const listProperties = (resources: StackTemplate['Resources'], type: string) =>
  Object.values(resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []))

/** Measures a template against every quota. */
export const measureQuotas = (template: StackTemplate): readonly QuotaUse[] =>
  Object.entries(quotas).map(([name, { quota, allowed = quota * 0.9, countUsed, section = 'Figures' }]) => ({
    name,
    quota,
    section,
    allowed: Math.floor(allowed),
    used: countUsed(template),
  }))

/** Returns a sentence for each quota of which a template takes more than it may. */
export const findQuotaFaults = (template: StackTemplate): readonly string[] =>
  measureQuotas(template).flatMap(({ name, used, allowed, quota, section }) =>
    used <= allowed
      ? []
      : [
          `${name}: ${used}, of at most ${allowed} (AWS takes ${quota}); infra/README.md, "${section}", says what to do`,
        ],
  )
