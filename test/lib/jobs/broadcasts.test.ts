import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSocketGateway } from '../../../infra/local/gateway/socket-gateway.ts'
import { loadConfig } from '../../../lib/config.ts'
import { createWorkerService, reportWorker, type Service } from '../../../lib/index.ts'
import { nora, sami, startJobInstallation } from '../../support/jobs/job-installation.ts'
import { jobRegistry, parcelCount } from '../../support/jobs/job-tables.ts'
import { startTcpProxy } from '../../support/network/tcp-proxy.ts'
import type { TestIdentity } from '../../support/requests/identity-provider.ts'
import { openPushClient } from '../../support/sockets/push-client.ts'
import { createSocketRoutes } from '../../support/sockets/socket-routes.ts'

const service = (): Service => jobs.service
const gateway = await startSocketGateway({
  routes: createSocketRoutes(jobRegistry, service),
})
const jobs = await startJobInstallation({ SOCKET_ENDPOINT: gateway.managementEndpoint, SOCKET_URL: gateway.url })
afterAll(async () => {
  await gateway.stop()
  await jobs.stop()
})

const connect = (as: TestIdentity) => openPushClient(gateway.url, { protocols: ['bearer', jobs.provider.tokenFor(as)] })
const connectByTicket = async (as: TestIdentity) =>
  openPushClient((await jobs.post('socket-ticket', {}, { as })).json.url)

describe('the messages of a job', () => {
  it('reach every socket of its owner and no other, in order, from start to result', async () => {
    const first = await connect(nora)
    const second = await connect(nora)
    const stranger = await connect(sami)
    const id = await jobs.ask('slow/wait')
    await jobs.work([id])
    for (const { messages } of [first, second]) {
      const events = messages.map(({ event }) => event.replace('bulk_action.', ''))
      expect(events[0]).toBe('started')
      expect(events.filter((event) => event === 'progress').length).toBeGreaterThan(1)
      expect(events.at(-1)).toBe('completed')
      expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
      expect(messages.at(-1)).toMatchObject({
        channel: `job:${id}`,
        data: { success: true, counts: { succeeded: parcelCount, failed: 0 } },
      })
    }
    expect(stranger.messages).toEqual([])
  })

  it('show rows only on sockets that were opened with the claims of its request, by a token or a ticket', async () => {
    const south = { ...nora, tenant: 'south' }
    const own = [await connect(nora), await connectByTicket(nora)]
    const others = [await connect(south), await connectByTicket(south)]
    const selected = Array.from({ length: parcelCount + 1 }, (_, index) => index + 1)
    const id = await jobs.ask('parcels/move_with_preview', { plan: true, selected_ids: selected })
    await jobs.work([id])
    const { plan, ...facts } = (await jobs.job(id)).result
    expect(plan).toMatchObject({ refused: [{ sample_ids: [parcelCount + 1] }], sample: expect.any(Array) })
    for (const { messages } of own) expect(messages.at(-1)?.data).toMatchObject({ ...facts, plan })
    const refused = plan.refused.map((group: object) => ({ ...group, sample_ids: [] }))
    const shown = { ...facts, plan: { ...plan, refused, sample: [], sample_omitted: 'rights_changed' } }
    for (const { messages } of others) {
      expect(messages.at(-1)).toMatchObject({ event: 'bulk_action.completed', data: shown })
      expect(messages.map(({ seq }) => seq)).toEqual(own[0]?.messages.map(({ seq }) => seq))
    }
  })

  it('report its failure in both languages', async () => {
    const client = await connect(nora)
    const id = await jobs.ask('parcels/move_all_or_none')
    await jobs.work([id])
    const message = client.messages.filter(({ channel }) => channel === `job:${id}`).at(-1)
    expect(message).toMatchObject({
      event: 'bulk_action.failed',
      data: { code: 'not_250', errors: ['Not 250', 'ليس 250'] },
    })
  })

  it('report its end if only the response to the commit that ended it was lost', async () => {
    const client = await connect(nora)
    const id = await jobs.ask('parcels/move')
    const proxy = await startTcpProxy({ target: String(jobs.environment['DATABASE_URL']) })
    const workers = createWorkerService(loadConfig({ ...jobs.environment, DATABASE_URL: proxy.url() }))
    onTestFinished(async () => {
      await Promise.all([workers.database.close(), workers.work.close()])
      await proxy.close()
    })
    proxy.spoil({ kind: 'cut', from: 'server', containing: 'COMMIT', after: 'finished_at = now()' })
    await reportWorker(jobRegistry, () => workers)(jobs.createEvent([id]), { getRemainingTimeInMillis: () => 900_000 })
    expect(proxy.isSpoilt()).toBe(false)
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
    const message = client.messages.filter(({ channel }) => channel === `job:${id}`).at(-1)
    expect(message).toMatchObject({ event: 'bulk_action.completed', data: { success: true, rows: parcelCount } })
    const [last] = await jobs.sql`select event from table_control.job_events where job_id = ${id} order by seq desc`
    expect(last).toEqual({ event: 'bulk_action.completed' })
  })

  it('report that it was cancelled before it began', async () => {
    const client = await connect(nora)
    const id = await jobs.ask('parcels/move')
    await jobs.post(`jobs/${id}/cancel`)
    const [message] = await client.received(1)
    expect(message).toMatchObject({ event: 'bulk_action.failed', id, data: { code: 'cancelled' } })
  })

  it('report its progress if it is cancelled in the middle', async () => {
    const client = await connect(nora)
    const id = await jobs.ask('slow/wait')
    const working = jobs.work([id])
    await jobs.until(id, 'done > 0')
    await jobs.post(`jobs/${id}/cancel`)
    await working
    const { done, counts, errors } = await jobs.job(id)
    expect(counts).toEqual({ selected: parcelCount, succeeded: done, failed: 0 })
    const message = client.messages.filter(({ channel }) => channel === `job:${id}`).at(-1)
    expect(message).toMatchObject({ event: 'bulk_action.failed', data: { code: 'cancelled', counts, errors } })
  })

  it('go on from where they were if another worker goes on with it', async () => {
    const client = await connect(nora)
    const id = await jobs.ask('slow/wait')
    const lost = jobs.work([id])
    await jobs.until(id, 'done > 0')
    await jobs.later(id)
    await jobs.work([id])
    await lost
    const messages = client.messages.filter(({ channel }) => channel === `job:${id}`)
    expect(messages.filter(({ event }) => event === 'bulk_action.started')).toHaveLength(1)
    expect(messages.filter(({ event }) => event === 'bulk_action.completed')).toHaveLength(1)
    expect(messages.map(({ seq }) => seq)).toEqual([...new Set(messages.map(({ seq }) => seq))])
  })

  it('report its end as a notification if its action notifies', async () => {
    const client = await connect(nora)
    const other = await connect({ ...nora, tenant: 'south' })
    const id = await jobs.ask('parcels/note_report')
    await jobs.work([id])
    // The first one only says that the job was taken on.
    const messages = await client.received(2)
    expect(messages.at(-1)).toMatchObject({ event: 'notification', data: { level: 'success', data: { job_id: id } } })
    const { items } = (await jobs.get('notifications?limit=1', { as: { ...nora, tenant: 'south' } })).json
    expect((await other.received(2)).at(-1)?.data).toEqual(items[0])
  })

  it('do not stop it if a socket is gone', async () => {
    const client = await connect(nora)
    gateway.faults.add({ kind: 'error', code: 'GoneException', status: 410, times: 99 })
    const id = await jobs.ask('parcels/move')
    await jobs.work([id])
    gateway.faults.clear()
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
    expect(client.messages.filter(({ channel }) => channel === `job:${id}`)).toEqual([])
  })
})

describe('a notification of an action that ran at once', () => {
  it('has the data of the author for the claims of its request alone, on sockets and in the list', async () => {
    const south = { ...nora, tenant: 'south' }
    const client = await connect(nora)
    const other = await connect(south)
    const { json } = await jobs.post('bulk-table-action/parcels/refuse_and_tell', { selected_ids: [1, 2, 3] })
    const own = json.notification
    expect(own.data).toEqual({ first: 'parcel 1' })
    const messages = [await client.received(1), await other.received(1)]
    expect(messages.map((all) => all.at(-1)?.data)).toEqual([own, { ...own, data: {} }])
    const list = async (as: TestIdentity) => (await jobs.get('notifications?limit=1', { as })).json.items
    expect([await list(nora), await list(south)]).toEqual([[own], [{ ...own, data: {} }]])
  })
})
