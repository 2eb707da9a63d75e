import { SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import { localAccount } from '../local-account.ts'
import type { LocatedParts } from '../local-parts.ts'
import type { EventSourceMappingOptions } from '../queue/event-source-mapping.ts'
import type { ScheduledEvent, ScheduleOptions } from '../schedule.ts'
import { type DeployedFunction, toTarget } from './functions.ts'
import { ruleArn } from './local-values.ts'
import { mayCall, type Permission } from './permissions.ts'
import { readVisibility } from './queues.ts'
import { type Resource, referencedIds, type Template } from './template.ts'

const mapping = z.object({
  BatchSize: z.int().min(1).max(10).default(10),
  EventSourceArn: z.unknown(),
  FunctionName: z.unknown(),
  FunctionResponseTypes: z.array(z.string()).default([]),
  ScalingConfig: z.object({ MaximumConcurrency: z.int().min(2) }).optional(),
})
const rule = z.object({
  ScheduleExpression: z.string().optional(),
  State: z.string().default('ENABLED'),
  Targets: z.array(z.object({ Arn: z.unknown(), Input: z.string().optional() })).default([]),
})

type Functions = ReadonlyMap<string, DeployedFunction>

/** Returns the functions that queues of the template invoke. `batchSize` overrides the template's. */
export const readMappings = (
  template: Template,
  functions: Functions,
  parts: LocatedParts,
  batchSize: number | undefined,
): readonly EventSourceMappingOptions[] =>
  template.listResources('AWS::Lambda::EventSourceMapping', mapping).map(({ id, properties }) => {
    const [queue = ''] = referencedIds(properties.EventSourceArn)
    const called = findFunction(functions, properties.FunctionName, id)
    const visibilityMs = (readVisibility(template, queue) ?? 0) * 1_000
    if (visibilityMs < called.timeoutMs) {
      throw new Error(`${id}: SQS would show a message again while ${called.name} may still be working on it`)
    }
    const credentials = { accessKeyId: called.id, secretAccessKey: 'local' }
    return {
      // Lambda asks the queue by the rights of the function.
      client: new SQSClient({ endpoint: parts.queue.endpoint, region: localAccount.region, credentials }),
      queueUrl: parts.queue.findQueueUrl(queue),
      target: toTarget(called),
      batchSize: batchSize ?? properties.BatchSize,
      // Without a limit Lambda begins with five pollers.
      concurrency: properties.ScalingConfig?.MaximumConcurrency ?? 5,
      reportsFailures: properties.FunctionResponseTypes.includes('ReportBatchItemFailures'),
    }
  })

/** Returns the functions that the template invokes on a schedule. `everyMs` overrides the template's rate. */
export const readSchedules = (
  template: Template,
  functions: Functions,
  permissions: readonly Permission[],
  everyMs: number | undefined,
): readonly ScheduleOptions[] =>
  template.listResources('AWS::Events::Rule', rule).flatMap((one) => {
    const { ScheduleExpression, State, Targets } = one.properties
    if (ScheduleExpression === undefined || State !== 'ENABLED') return []
    const rate = everyMs ?? parseRate(ScheduleExpression, one)
    return Targets.map(({ Arn, Input }) => {
      const called = findFunction(functions, Arn, one.id)
      if (!mayCall(permissions, called.id, 'events.amazonaws.com', ruleArn(one.id))) {
        throw new Error(`EventBridge may not call ${called.name} for ${one.id}: the template has no permission for it`)
      }
      return {
        target: toTarget(called),
        everyMs: rate,
        ...(Input !== undefined && { input: JSON.parse(Input) as ScheduledEvent }),
      }
    })
  })

const units: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }

function parseRate(expression: string, { id }: Resource<unknown>): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? []
  const every = units[unit]
  if (every === undefined) throw new Error(`${id}: schedules such as "${expression}" do not run here`)
  return Number(count) * every
}

function findFunction(functions: Functions, reference: unknown, place: string): DeployedFunction {
  const called = functions.get(referencedIds(reference)[0] ?? '')
  if (called === undefined) throw new Error(`${place} calls no function of the template`)
  return called
}
