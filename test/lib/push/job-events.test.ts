import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createJobEvents, listJobEvents } from '../../../lib/push/job-events.ts'
import type { PushClient } from '../../support/sockets/push-client.ts'
import { startPushInstallation } from '../../support/sockets/push-installation.ts'

const installation = await startPushInstallation()
afterAll(() => installation.stop())
afterEach(() => gateway.faults.clear())
const { connect, gateway, service, sql } = installation

/** A job of a subject of its own, with a socket that listens to it. */
async function startJob() {
  const id = randomUUID()
  const subject = `owner of ${id}`
  const identity = { subject, claims: { tenant: '' } }
  await sql`insert into table_control.jobs
    (id, subject, identity, guard, language, table_name, action, kind, response, request, request_id, base_url)
    values (${id}, ${subject}, '{}', 'api', 'ar', 't', 'a', 'bulk', 'websocket', '{}', 'r', '')`
  const client = await connect({ sub: subject })
  return { id, identity, client, events: createJobEvents(service, { id, identity, language: 'ar' }) }
}

const listEvents = ({ messages }: PushClient) => messages.map(({ event, seq }) => `${seq} ${event}`)
const readProgress = ({ messages }: PushClient) =>
  messages.filter(({ event }) => event === 'bulk_action.progress').map(({ data }) => data.done)

describe('the events of a job', () => {
  it('come in order, each with the next number, on the channel of the job', async () => {
    const { id, client, events } = await startJob()
    await events.started({ total: 3 })
    events.progress(1, 3)
    await events.flush()
    await events.completed({ rows: 3 })
    const channel = `job:${id}`
    expect(await client.received(3)).toEqual([
      { event: 'bulk_action.started', channel, id, seq: 1, data: { total: 3 } },
      { event: 'bulk_action.progress', channel, id, seq: 2, data: { done: 1, total: 3 } },
      { event: 'bulk_action.completed', channel, id, seq: 3, data: { success: true, rows: 3 } },
    ])
    expect(await sql`select seq from table_control.jobs where id = ${id}`).toEqual([{ seq: 3 }])
  })

  it('are kept for a client that was away, which gets those after the last one it knows, as they were sent', async () => {
    const { id, identity, client, events } = await startJob()
    await events.started({ total: 3 })
    events.progress(1, 3)
    await events.flush()
    await events.completed({ rows: 3 })
    const sent = await client.received(3)
    expect(await listJobEvents(service.database.read, id, identity.subject, 0)).toEqual(sent)
    expect(await listJobEvents(service.database.read, id, identity.subject, 2)).toEqual(sent.slice(2))
    expect(await listJobEvents(service.database.read, id, identity.subject, 3)).toEqual([])
    expect(await listJobEvents(service.database.read, id, 'somebody else', 0)).toEqual([])
  })

  it('report a failure in both languages and in the owner’s', async () => {
    const { client, events } = await startJob()
    await events.failed({ code: 'report_too_large', en: 'Too large', ar: 'كبير' })
    expect((await client.received(1))[0]).toMatchObject({
      event: 'bulk_action.failed',
      data: { success: false, code: 'report_too_large', errors: ['Too large', 'كبير'], message: 'كبير' },
    })
  })

  it('report progress at most about four times a second, and always the last before the end', async () => {
    const { client, events } = await startJob()
    await events.started()
    const start = performance.now()
    for (let done = 1; done <= 500; done++) {
      events.progress(done, 500)
      if (done % 100 === 0) await sleep(120)
    }
    await events.completed({})
    const most = 2 + Math.ceil((performance.now() - start) / 250)
    await expect.poll(() => listEvents(client).at(-1)).toMatch(/completed$/)
    const progress = readProgress(client)
    expect([progress[0], progress.at(-1)]).toEqual([1, 500])
    expect(progress.length).toBeLessThanOrEqual(most)
    expect(progress).toEqual([...progress].sort((one, other) => one - other))
  })

  it('are flushed once the one that is under way is stored', async () => {
    const { id, client, events } = await startJob()
    const flushed = await sql.begin(async (lock) => {
      await lock`select from table_control.jobs where id = ${id} for update`
      events.progress(1, 3)
      const done = events.flush().then(() => 'flushed')
      expect(await Promise.race([done, lock`select 1`.then(() => 'waiting')])).toBe('waiting')
      return { done }
    })
    await flushed.done
    expect(await client.received(1)).toMatchObject([{ data: { done: 1 } }])
  })

  it('go on counting where another worker of the job stopped', async () => {
    const { id, identity, client, events } = await startJob()
    await events.started()
    await createJobEvents(service, { id, identity, language: 'en' }).completed({})
    await client.received(2)
    expect(listEvents(client)).toEqual(['1 bulk_action.started', '2 bulk_action.completed'])
  })

  it('end with the end of the job, also if a worker that has lost it goes on', async () => {
    const { id, identity, client, events } = await startJob()
    const late = createJobEvents(service, { id, identity, language: 'en' })
    await events.completed({ rows: 3 })
    late.progress(1, 3)
    await late.flush()
    const stored = await listJobEvents(service.database.read, id, identity.subject, 0)
    expect(await client.received(1)).toEqual(stored)
    expect(stored.map(({ event }) => event)).toEqual(['bulk_action.completed'])
  })

  it('count also while no client is connected, so that a client that comes back sees the gap', async () => {
    const { identity, client, events } = await startJob()
    await client.close()
    await events.started()
    const back = await connect({ sub: identity.subject })
    await events.completed({})
    await back.received(1)
    expect(listEvents(back)).toEqual(['2 bulk_action.completed'])
  })

  it('put a result that is too large behind a link', async () => {
    const { client, events } = await startJob()
    await events.completed({ items: 'x'.repeat(200_000) }, async () => 'https://tables.example.test/result')
    expect((await client.received(1))[0]?.data).toEqual({ success: true, url: 'https://tables.example.test/result' })
  })

  it('never fail the job: not while the gateway refuses, not for a job that is gone', async () => {
    const { id, client, events } = await startJob()
    gateway.faults.add({ times: 1_000 })
    await events.started()
    gateway.faults.clear()
    await sql`delete from table_control.jobs where id = ${id}`
    await events.completed({})
    expect(client.messages).toEqual([])
  })

  it('write nothing where there is no WebSocket API', async () => {
    const { id, identity } = await startJob()
    await createJobEvents({ ...service, config: {} }, { id, identity, language: 'en' }).started()
    expect(await sql`select seq from table_control.jobs where id = ${id}`).toEqual([{ seq: 0 }])
  })
})
