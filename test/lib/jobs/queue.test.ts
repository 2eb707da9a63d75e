import { setTimeout as sleep } from 'node:timers/promises'
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localCredentials } from '../../../infra/local/local-account.ts'
import { type EventSourceMapping, startEventSourceMapping } from '../../../infra/local/queue/event-source-mapping.ts'
import { startJobInstallation } from '../../support/jobs/job-installation.ts'

const jobs = await startJobInstallation()
const { queueUrl, deadLetterQueueUrl, endpoint } = jobs.queue
const client = new SQSClient({ endpoint, ...localCredentials })
afterAll(async () => {
  client.destroy()
  await jobs.stop()
})

let mapping: EventSourceMapping
beforeEach(() => {
  const target = { name: 'report-worker', handler: jobs.worker }
  mapping = startEventSourceMapping({ client, queueUrl, target, batchSize: 3, concurrency: 2 })
})
afterEach(() => mapping.stop())

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const send = (MessageBody: string) => client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }))

async function countMessages(): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const
  const asked = { QueueUrl: queueUrl, AttributeNames: [...AttributeNames] }
  const { Attributes = {} } = await client.send(new GetQueueAttributesCommand(asked))
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0)
}

async function untilEmpty(): Promise<void> {
  while ((await countMessages()) > 0) await sleep(50)
}

describe('the queue and its worker', () => {
  it('bring each report to its reader once, and leave no message behind', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => jobs.ask('parcels/mail_report', small)))
    for (const id of ids) await jobs.until(id, "state = 'succeeded'")
    await untilEmpty()
    const mailed = jobs.mail.envelopes().map(({ tags }) => tags['job_id'])
    expect(mailed.toSorted()).toEqual(ids.toSorted())
  })

  it('put an unreadable message aside, and go on with the others', async () => {
    await send('{"v":2,"task":"unknown"}')
    const id = await jobs.ask('parcels/mail_report', small)
    await jobs.until(id, "state = 'succeeded'")
    await untilEmpty()
    const dead = new ReceiveMessageCommand({ QueueUrl: deadLetterQueueUrl, WaitTimeSeconds: 5 })
    expect((await client.send(dead)).Messages).toMatchObject([{ Body: '{"v":2,"task":"unknown"}' }])
  })

  it('let a job that must wait wait, and do it when it is sent again', async () => {
    jobs.mail.faults.add({ code: 'Throttling', message: 'Daily message quota exceeded.' })
    const id = await jobs.ask('parcels/mail_report', small)
    await jobs.until(id, "state = 'queued' and not_before is not null")
    // Longer than the queue hides a message by itself.
    await sleep(2_500)
    expect(await jobs.sql`select attempts, state from table_control.jobs where id = ${id}`).toMatchObject([
      { attempts: 1, state: 'queued' },
    ])
    expect(await countMessages()).toBe(1)
    await jobs.later(id)
    await send(JSON.stringify({ v: 1, job: id }))
    await jobs.until(id, "state = 'succeeded'")
  })
})
