import { setTimeout as sleep } from 'node:timers/promises'
import type { SQSEvent } from 'aws-lambda'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LambdaHandler } from '../../infra/local/lambda/local-function.ts'
import {
  type EventSourceMappingOptions,
  startEventSourceMapping,
} from '../../infra/local/queue/event-source-mapping.ts'
import { type ServedQueue, serveQueue } from '../support/infra/queue.ts'
import { waitFor } from '../support/run/patience.ts'

/** The mapping of a queue to a handler, until the test ends. */
function map(queue: ServedQueue, handler: LambdaHandler<SQSEvent>, options: Partial<EventSourceMappingOptions> = {}) {
  const target = { name: 'worker', handler }
  const mapping = startEventSourceMapping({ client: queue.sqs, queueUrl: queue.queueUrl, target, ...options })
  onTestFinished(mapping.stop)
  return mapping
}

const bodies = ({ Records }: SQSEvent) => Records.map(({ body }) => body)

describe('a batch', () => {
  it('is an event as Lambda makes it, and is deleted when the handler returns', async () => {
    const queue = await serveQueue()
    await queue.send('{"v":1}')
    const events: SQSEvent[] = []
    map(queue, (event) => void events.push(event))
    await waitFor(async () => expect([events.length, await queue.left()]).toEqual([1, 0]))
    expect(events).toMatchObject([
      {
        Records: [
          {
            body: '{"v":1}',
            messageId: expect.any(String),
            receiptHandle: expect.any(String),
            attributes: { ApproximateReceiveCount: '1' },
            eventSource: 'aws:sqs',
            eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:table-control-reports',
          },
        ],
      },
    ])
  })

  it('has at most as many messages as asked for', async () => {
    const queue = await serveQueue()
    await queue.send('1', '2', '3', '4', '5')
    const sizes: number[] = []
    map(queue, ({ Records }) => void sizes.push(Records.length), { batchSize: 2, concurrency: 1 })
    await waitFor(() => expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(5))
    expect(sizes).toEqual([2, 2, 1])
  })

  it('shares the queue with at most one other', async () => {
    const queue = await serveQueue({ visibilitySeconds: 30 })
    await queue.send('1', '2', '3', '4')
    let most = 0
    let now = 0
    let done = 0
    const handler = async () => {
      now += 1
      most = Math.max(most, now)
      await waitFor(() => expect(most).toBe(2))
      // Time in which a third would come.
      await sleep(100)
      now -= 1
      done += 1
    }
    map(queue, handler, { batchSize: 1 })
    await waitFor(() => expect(done).toBe(4))
    expect(most).toBe(2)
  })
})

describe('what failed', () => {
  it.each<[string, (event: SQSEvent) => unknown]>([
    ['reported one', ({ Records }) => report(Records.filter(({ body }) => body === 'bad').map((one) => one.messageId))],
    ['threw', () => Promise.reject(new Error('on purpose'))],
    ['named a message of another batch', () => report(['not-one-of-these'])],
    ['named none', () => report([null])],
    ['named one by a wrong key', () => ({ batchItemFailures: [{ messageId: 'x' }] })],
    ['answered with a list that is none', () => ({ batchItemFailures: 'bad' })],
    ['answered with a text', () => 'done'],
  ])('comes again, and is in the dead-letter queue in the end, after a handler %s', async (what, respond) => {
    const queue = await serveQueue({ maxReceives: 2 })
    await queue.send('bad', 'good')
    const seen: string[] = []
    const handler = (event: SQSEvent) => {
      seen.push(...bodies(event))
      return respond(event)
    }
    map(queue, handler, { concurrency: 1 })
    await waitFor(async () => expect(await queue.left()).toBe(0))
    const expected = what === 'reported one' ? ['bad'] : ['bad', 'good']
    const dead = await queue.receive(5, queue.deadLetterQueueUrl)
    expect(dead.map(({ Body }) => Body).sort()).toEqual(expected)
    expect(seen.filter((body) => body === 'bad')).toHaveLength(2)
  })

  it.each([undefined, null, {}, { batchItemFailures: [] }, { batchItemFailures: null }])(
    'is nothing when a handler returns %j',
    async (result) => {
      const queue = await serveQueue()
      await queue.send('1', '2')
      map(queue, () => result)
      await waitFor(async () => expect(await queue.left()).toBe(0))
    },
  )

  it('includes a handler that takes longer than a function may', async () => {
    const queue = await serveQueue()
    await queue.send('slow')
    const counts: string[] = []
    const handler = ({ Records: [record] }: SQSEvent) => {
      counts.push(record?.attributes.ApproximateReceiveCount ?? '')
      return counts.length === 1 ? new Promise(() => undefined) : undefined
    }
    const onFailure = vi.fn()
    map(queue, handler, { timeoutMs: 50, onFailure })
    await waitFor(() => expect(counts).toEqual(['1', '2']))
    expect(String(onFailure.mock.calls[0]?.[1])).toContain('Task timed out')
  })
})

it('goes on when the queue refused for a while', async () => {
  const queue = await serveQueue()
  queue.faults.add({ action: 'ReceiveMessage', times: 3 })
  await queue.send('1')
  map(queue, () => undefined)
  await waitFor(async () => expect(await queue.left()).toBe(0))
})

it('stops after the batch under way, and takes no further message', async () => {
  const queue = await serveQueue()
  await queue.send('1')
  let ended = false
  let startMapping = () => {}
  const working = new Promise<void>((resolve) => {
    startMapping = resolve
  })
  const handler = async () => {
    startMapping()
    await sleep(200)
    ended = true
  }
  const mapping = map(queue, handler)
  await working
  await mapping.stop()
  expect(ended).toBe(true)
  await queue.send('2')
  expect((await queue.receive(1)).map(({ Body }) => Body)).toEqual(['2'])
})

const report = (ids: readonly unknown[]) => ({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) })
