import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { objectKeys } from '../support/jobs/object-keys.ts'
import { openedFile } from '../support/jobs/opened-file.ts'
import { startHangingStorage, startInterruptedStorage } from './hanging-storage.ts'

const api = await startDeliveringApi()
beforeEach(() => api.reset())

/** The same service with a storage that answers nothing. */
async function withHangingStorage() {
  const storage = await startHangingStorage()
  const { endpoint } = api.queue
  // A client of S3 reads its endpoint when it is first used.
  process.env['AWS_ENDPOINT_URL_S3'] = storage.endpoint
  onTestFinished(async () => {
    process.env['AWS_ENDPOINT_URL_S3'] = endpoint
    await storage.stop()
  })
  const hung = api.variant({})
  return { hung, storage, repair: () => (process.env['AWS_ENDPOINT_URL_S3'] = endpoint) }
}

const pending = () => api.sql`select content from table_control.downloads where content is not null`

it('removes a file whose links were erased while it was uploaded', async () => {
  const { endpoint } = api.queue
  const kept = await objectKeys(api.queue)
  const storage = await startInterruptedStorage(endpoint, () => api.sql`delete from table_control.downloads`)
  process.env['AWS_ENDPOINT_URL_S3'] = storage.endpoint
  onTestFinished(async () => {
    process.env['AWS_ENDPOINT_URL_S3'] = endpoint
    await storage.stop()
  })
  const response = await api.variant({}).post('bulk-table-action/bulk_orders/as_file', { selected_ids: [1] })
  expect(response.status).toBe(200)
  await storage.taken
  await expect.poll(() => objectKeys(api.queue)).toEqual(kept)
})

describe('an action that makes a file while the storage hangs', () => {
  it.each(['as_file', 'notified_file'])(
    'keeps no row locked, and loses neither its change nor its file: %s',
    async (key) => {
      const { hung, storage, repair } = await withHangingStorage()
      const running = hung.post(`bulk-table-action/bulk_orders/${key}`, { selected_ids: [1, 2] })
      await storage.asked
      const others = await Promise.all(
        [1, 2].map((id) => api.post('bulk-table-action/bulk_orders/touch', { selected_ids: [id] })),
      )
      expect(others.map(({ status }) => status)).toEqual([200, 200])
      const { status, json } = await running
      expect(status).toBe(200)
      const { url } = (json.notification ?? json).data
      expect(await pending()).toHaveLength(1)
      repair()
      const repaired = api.variant({})
      expect(await (await openedFile(repaired, url)).text()).toBe('2 طلب')
      expect(await pending()).toEqual([])
      expect(await (await openedFile(repaired, url)).text()).toBe('2 طلب')
    },
  )

  it('answers a download of it that it is unavailable, until the storage answers', async () => {
    const { hung, repair } = await withHangingStorage()
    const { json } = await hung.post('bulk-table-action/bulk_orders/as_file', { selected_ids: [1] })
    const { pathname: path } = new URL(json.data.url)
    const response = await hung.request({ method: 'GET', path }, { as: null })
    expectFailure(response, { status: 503, code: 'unavailable' })
    repair()
    expect(await (await openedFile(api.variant({}), json.data.url)).text()).toBe('1 طلب')
  })

  it('answers a download of a file of several parts that it is unavailable, too', async () => {
    const { hung, repair } = await withHangingStorage()
    const { json } = await hung.post('bulk-table-action/bulk_orders/as_file', { selected_ids: [1] })
    const { url, download_id: id } = json.data
    await api.sql`update table_control.downloads set content = repeat('x', 9000000)::bytea where id = ${id}`
    const response = await hung.request({ method: 'GET', path: new URL(url).pathname }, { as: null })
    expectFailure(response, { status: 503, code: 'unavailable' })
    repair()
    expect((await (await openedFile(api.variant({}), url)).arrayBuffer()).byteLength).toBe(9_000_000)
  })

  it('loses the file at once when its link is revoked', async () => {
    const { hung, storage } = await withHangingStorage()
    const { json } = await hung.post('bulk-table-action/bulk_orders/as_file', { selected_ids: [1] })
    await storage.asked
    expect(await pending()).toHaveLength(1)
    expect((await hung.post(`downloads/${json.data.download_id}/revoke`)).status).toBe(200)
    expect(await pending()).toEqual([])
  })

  it('answers its replays with the same link', async () => {
    const { hung } = await withHangingStorage()
    const headers = { 'idempotency-key': 'file' }
    const ask = () => hung.post('bulk-table-action/bulk_orders/as_file', { selected_ids: [1] }, { headers })
    const first = await ask()
    const again = await ask()
    expect(again.json).toEqual(first.json)
    expect(again.headers['idempotency-replayed']).toBe('true')
  })
})

describe('an action that makes a file', () => {
  it('leaves nothing of it in the database once it is stored', async () => {
    const { json } = await api.post('bulk-table-action/bulk_orders/as_file', { selected_ids: [1] })
    expect(await (await openedFile(api, json.data.url)).text()).toBe('1 طلب')
    expect(await pending()).toEqual([])
  })
})
