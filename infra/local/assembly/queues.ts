import * as z from 'zod'
import type { QueueDefinition } from '../queue/queue-definition.ts'
import { type Resource, referencedIds, type Template } from './template.ts'

const redrive = z.object({ deadLetterTargetArn: z.unknown(), maxReceiveCount: z.number() })
const queue = z.object({
  VisibilityTimeout: z.number().default(30),
  MessageRetentionPeriod: z.number().optional(),
  DelaySeconds: z.number().optional(),
  MaximumMessageSize: z.number().optional(),
  RedrivePolicy: redrive.optional(),
})

type Queue = Resource<z.output<typeof queue>>

/**
 * The queues of the template, each by its logical id; `visibilitySeconds`, where it is given, is put over the
 * template's.
 */
export const readQueues = (template: Template, visibilitySeconds?: number): readonly QueueDefinition[] =>
  template.listResources('AWS::SQS::Queue', queue).map((one) => createDefinition(one, visibilitySeconds))

function createDefinition({ id, properties }: Queue, visibilitySeconds: number | undefined): QueueDefinition {
  const { RedrivePolicy, ...numbers } = properties
  const attributes = { ...numbers, VisibilityTimeout: visibilitySeconds ?? numbers.VisibilityTimeout }
  const texts = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  )
  return {
    name: id,
    attributes: Object.fromEntries(texts),
    ...(RedrivePolicy && {
      deadLetters: {
        queue: referencedIds(RedrivePolicy.deadLetterTargetArn)[0] ?? '',
        maxReceives: RedrivePolicy.maxReceiveCount,
      },
    }),
  }
}

/** How long a queue of the template hides a message, in seconds. */
export const readVisibility = (template: Template, id: string): number | undefined =>
  template.listResources('AWS::SQS::Queue', queue).find((one) => one.id === id)?.properties.VisibilityTimeout
