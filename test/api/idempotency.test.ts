import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow, tableDefiner } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, north } from '../support/fixtures/identities.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { queuedMessages } from '../support/jobs/queued-jobs.ts'

const api = await startDeliveringApi({ DATABASE_CONNECTIONS: '5', MAIL_DOMAINS: 'example.test' })
beforeEach(async () => {
  api.queue.faults.clear()
  await queuedMessages(api.queue)
  await api.reset()
})

const withKey = (path: string, body: unknown = {}, key = 'one', options: object = {}) =>
  api.post(path, body, { headers: { 'idempotency-key': key }, ...options })

const count = 'row-table-action/orders/count/2'
const reused = { status: 422, code: 'idempotency_key_reused' }

/** Without what every response measures anew. */
const withoutTimes = ({ 'server-timing': _, ...headers }: Readonly<Record<string, unknown>>) => headers

describe('the same key and body', () => {
  it.each<[string, string, unknown]>([
    ['a row action', count, {}],
    ['a row action over several ids', 'row-bulk-table-action/orders/flag', { selected_ids: [3, 2, 999] }],
    ['a bulk action', 'bulk-table-action/bulk_orders/finish_all', { selected_ids: [2, 3] }],
    ['a notification', 'bulk-table-action/bulk_orders/notify', { selected_ids: [2, 3] }],
    ['a job', 'bulk-table-action/bulk_orders/recompute', { selected_ids: [2, 3] }],
    ['an export', 'bulk-table-action/orders/export_excel', { selected_ids: [2, 3] }],
    ['an export as a notification', 'bulk-table-action/lines/notified_report', { selected_ids: [2, 3] }],
    ['an export as a job', 'bulk-table-action/lines/pushed_report', {}],
  ])('give the first response again, byte for byte, and do nothing: %s', async (_, path, body) => {
    const first = await withKey(path, body)
    expect(first.status, first.text).toBe(200)
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    const state = async () => [
      await api.sql`select * from orders order by id`,
      await api.sql`select id from table_control.jobs`,
      await api.sql`select id from table_control.notifications`,
      await api.sql`select id from table_control.downloads`,
      await api.audit(),
    ]
    const before = await state()
    for (const again of [await withKey(path, body), await withKey(path, body)]) {
      expect(again.status).toBe(200)
      expect(again.bytes).toEqual(first.bytes)
      expect(withoutTimes(again.headers)).toEqual({ ...withoutTimes(first.headers), 'idempotency-replayed': 'true' })
    }
    expect(await state()).toEqual(before)
  })

  it.each([
    ['an e-mail', 'lines/send_report', { emails: ['b@example.test'] }],
    ['a job', 'lines/pushed_report', {}],
    ['a notification', 'lines/notified_report', {}],
  ])('give the first response again for any expected number of rows: %s', async (_, action, body) => {
    const path = `bulk-table-action/${action}`
    const filters = [{ field: 'id', operator: '<=', value: 3 }]
    const asked = { ...body, filters, expected_count: 3 }
    const first = await withKey(path, asked)
    expect(first.status, first.text).toBe(200)
    await api.sql`delete from lines where id = 2`
    const again = await withKey(path, asked)
    expect(again.text).toBe(first.text)
    expect(again.headers).toHaveProperty('idempotency-replayed')
  })

  it.each([
    ['a link', 'lines/export_csv', {}],
    ['an e-mail', 'lines/send_report', { emails: ['b@example.test'] }],
    ['a job', 'lines/pushed_report', {}],
    ['a notification', 'lines/notified_report', {}],
  ])(
    'return the first response where rows change while the first request is under way: %s',
    async (_, action, body) => {
      const path = `bulk-table-action/${action}`
      const asked = { ...body, filters: [{ field: 'id', operator: '<=', value: 3 }], expected_count: 3 }
      const first = await withKey(path, asked)
      expect(first.status, first.text).toBe(200)
      const [known] = await api.sql`delete from table_control.idempotency_keys returning *`
      await api.sql`delete from lines where id = 2`
      const waiting = await api.sql.begin(async (sql) => {
        // As the first request has it before it commits.
        await sql`insert into table_control.idempotency_keys ${sql(known ?? {})}`
        const again = withKey(path, asked)
        const isWaiting = async () =>
          (
            await api.sql`select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query like '%idempotency_keys%'`
          ).length > 0
        await expect.poll(isWaiting).toBe(true)
        return [again]
      })
      const again = await waiting[0]
      expect(again?.text).toBe(first.text)
      expect(again?.headers).toHaveProperty('idempotency-replayed')
      expectFailure(await withKey(path, asked, 'two'), { status: 422, code: 'unexpected_count' })
    },
  )

  it('give a long response again, byte for byte, which is kept in a tenth of its bytes', async () => {
    await api.sql`update orders set title = repeat(md5(id::text), 30000)`
    const path = 'row-bulk-table-action/orders/flag'
    const body = { selected_ids: [2, 3] }
    const first = await withKey(path, body)
    const [kept] = await api.sql`select octet_length(response) as bytes from table_control.idempotency_keys`
    expect(first.bytes.length).toBeGreaterThan(1_900_000)
    expect(kept?.['bytes']).toBeLessThan(first.bytes.length / 10)
    const again = await withKey(path, body)
    expect(Buffer.compare(again.bytes, first.bytes)).toBe(0)
    expect(again.headers).toHaveProperty('idempotency-replayed')
    const changed = api.variant({ SERVICE_SECRET: 'another secret of more than 32 characters' })
    const short = await changed.post(path, body, { headers: { 'idempotency-key': 'one' } })
    expect(short.json).toEqual({
      success: true,
      onSuccess: 'reload',
      message: first.json.message,
      counts: first.json.counts,
      items: [],
      results: [],
    })
    expect(await api.audit()).toHaveLength(1)
  })

  it('build a file again, because no file is kept in the database', async () => {
    const path = 'bulk-table-action/lines/excel_file'
    for (const body of [{ selected_ids: [2, 3] }, { selected_ids: [2, 3] }]) {
      const response = await withKey(path, body)
      expect(response.headers['x-total-rows']).toBe('2')
      expect(response.headers).not.toHaveProperty('idempotency-replayed')
      expect(String(response.bytes.subarray(0, 2))).toBe('PK')
    }
    expect(await api.sql`select response from table_control.idempotency_keys`).toEqual([{ response: null }])
    expect((await api.audit()).map(({ kind, rows }) => [kind, rows])).toEqual([
      ['export', 2],
      ['export', 2],
    ])
    expectFailure(await withKey(path, { selected_ids: [2] }), reused)
  })

  it('build a file again that a version before has kept', async () => {
    const path = 'bulk-table-action/lines/excel_file'
    await withKey(path, { selected_ids: [2] })
    await api.sql`update table_control.idempotency_keys set response = '[{}, "QQ=="]'`
    expect((await withKey(path, { selected_ids: [2] })).headers['x-total-rows']).toBe('1')
  })

  it.each([1, 5])(
    'make one change and one response if they are sent fifty times at once over %s connections',
    async (size) => {
      const pool = size === 5 ? api : api.variant({ DATABASE_CONNECTIONS: String(size) })
      const headers = { 'idempotency-key': 'one' }
      const responses = await Promise.all(Array.from({ length: 50 }, () => pool.post(count, {}, { headers })))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
      expect(responses.filter((response) => response.headers['idempotency-replayed'] === undefined)).toHaveLength(1)
      expect(await api.runs(2)).toEqual([1])
    },
  )

  it('make one link if they are sent at once', async () => {
    const path = 'bulk-table-action/orders/export_excel'
    const responses = await Promise.all(Array.from({ length: 10 }, () => withKey(path)))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(await api.audit()).toHaveLength(1)
    expect(await api.sql`select id from table_control.downloads`).toHaveLength(1)
  })

  it('make one job if they are sent at once', async () => {
    const path = 'bulk-table-action/bulk_orders/recompute'
    const responses = await Promise.all(Array.from({ length: 10 }, () => withKey(path, { selected_ids: [1] })))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(await queuedMessages(api.queue)).toHaveLength(1)
  })

  it('wait for the first request while it runs', async () => {
    const slowly = 'row-table-action/orders/slowly/2'
    const responses = await Promise.all([withKey(slowly), withKey(slowly)])
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(responses[0]?.text).toBe(responses[1]?.text)
    expect(await api.runs(2)).toEqual([1])
  })

  it('must try again if the first one takes longer than one can wait', async () => {
    const refused = await api.sql.begin(async (sql) => {
      await sql`insert into table_control.idempotency_keys (subject, key, request_hash) values ('nora', 'one', 'x')`
      const response = await withKey(count)
      await sql`delete from table_control.idempotency_keys`
      return response
    })
    expectFailure(refused, { status: 409, code: 'idempotency_in_progress' })
    expect(await api.runs(2)).toEqual([0])
  })

  it.each(['Mark%20Reviewed', 'mark-reviewed'])('are the same under every spelling of the action: %s', async (key) => {
    const first = await withKey('row-table-action/orders/mark_reviewed/2')
    expect((await withKey(`row-table-action/orders/${key}/2`)).text).toBe(first.text)
  })
})

describe('a key that was used already', () => {
  it.each<[string, string, unknown]>([
    ['another body', count, { more: 1 }],
    ['another row', 'row-table-action/orders/count/3', {}],
    ['another action', 'row-table-action/orders/restart/2', {}],
    ['another table', 'row-table-action/refusing_orders/refuse_odd/2', {}],
    ['another endpoint', 'bulk-table-action/orders/internal_bulk', {}],
  ])('is refused for %s', async (_, path, body) => {
    expect((await withKey(count)).status).toBe(200)
    expectFailure(await withKey(path, body), reused)
    expect(await api.runs(2, 3)).toEqual([1, 0])
  })

  it('is refused for another endpoint of the same body', async () => {
    const body = { selected_ids: ['a'] }
    expect((await withKey('row-bulk-table-action/papers/read_as_well', body)).status).toBe(200)
    expectFailure(await withKey('bulk-table-action/papers/read_as_well', body), reused)
  })

  it('is refused for the second step of a form', async () => {
    const path = 'row-table-action/orders/reschedule/2'
    expect((await withKey(path)).status).toBe(200)
    expectFailure(await withKey(`${path}?step=submit`), reused)
  })

  it('is another key for another caller', async () => {
    await withKey(count)
    const other = await withKey(count, {}, 'one', { as: colleague })
    expect(other.headers).not.toHaveProperty('idempotency-replayed')
    expect(await api.runs(2)).toEqual([2])
    expect((await withKey(count, {}, 'one', { as: { ...north, fresh: 'token' } })).headers).toHaveProperty(
      'idempotency-replayed',
    )
  })

  it('is free again after 24 hours, and not a moment earlier', async () => {
    const age = (hours: string) =>
      api.sql`update table_control.idempotency_keys set created_at = now() - ${hours}::interval`
    await withKey(count)
    await age('23 hours 59 minutes')
    expect((await withKey(count)).headers).toHaveProperty('idempotency-replayed')
    await age('24 hours 1 second')
    expect((await withKey(count, { another: 'body' })).headers).not.toHaveProperty('idempotency-replayed')
    expect(await api.runs(2)).toEqual([2])
    expectFailure(await withKey(count), reused)
  })

  it('is free again after 24 hours for a file, too', async () => {
    const path = 'bulk-table-action/orders/export_excel'
    const first = await withKey(path)
    await api.sql`update table_control.idempotency_keys set created_at = now() - interval '25 hours'`
    expect((await withKey(path)).json.data.url).not.toBe(first.json.data.url)
  })
})

describe('a request that fails', () => {
  it.each<[string, string, unknown]>([
    ['a refusal', 'row-table-action/refusing_orders/refuse_odd/3', {}],
    ['an unexpected error', 'row-table-action/refusing_orders/explode/3', {}],
    ['a row that is not there', 'row-table-action/orders/count/999', {}],
    ['a row that it does not apply to', 'row-table-action/orders/mark_reviewed/9', {}],
    ['a form that is not valid', 'row-table-action/orders/assign/2', {}],
    ['several rows that all refuse', 'row-bulk-table-action/refusing_orders/refuse_odd', { selected_ids: [1, 3] }],
    ['an unknown filter', 'bulk-table-action/bulk_orders/touch', { filters: { nothing: 1 } }],
    ['an export of too many rows', 'bulk-table-action/lines/export_excel', {}],
  ])('frees the key after %s', async (_, path, body) => {
    const failure = await withKey(path, body)
    expect(failure.status).not.toBe(200)
    const again = await withKey(path, body)
    expect({ status: again.status, code: again.json.code }).toEqual({ status: failure.status, code: failure.json.code })
    expect((await withKey(count)).status).toBe(200)
    expect(await api.runs(2)).toEqual([1])
  })

  it('frees the key after a queue did not take the job', async () => {
    const path = 'bulk-table-action/bulk_orders/recompute'
    api.queue.faults.add({ action: 'SendMessage', status: 500, code: 'InternalError', times: 10 })
    expectFailure(await withKey(path, { selected_ids: [1] }), { status: 503, code: 'unavailable' })
    api.queue.faults.clear()
    const again = await withKey(path, { selected_ids: [1] })
    expect(again.json.job.status).toBe('queued')
    expect(await queuedMessages(api.queue)).toEqual([{ v: 1, job: again.json.job.id }])
  })

  it('frees the key for requests that waited for it', async () => {
    const path = 'row-table-action/refusing_orders/explode/3'
    const responses = await Promise.all(Array.from({ length: 5 }, () => withKey(path)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([500]))
    expect(await api.runs(3)).toEqual([0])
  })
})

describe('an Idempotency-Key', () => {
  it.each([
    ['empty', ' '],
    ['longer than 255 characters', 'k'.repeat(256)],
  ])('is refused if it is %s', async (_, key) => {
    expectFailure(await withKey(count, {}, key), { status: 422, code: 'validation_failed', field: 'Idempotency-Key' })
    expect(await api.runs(2)).toEqual([0])
  })

  it.each(['k'.repeat(255), 'مفتاح', "'; drop table orders; --", '__proto__'])('may be %j', async (key) => {
    const first = await withKey(count, {}, key)
    expect(first.status).toBe(200)
    expect((await withKey(count, {}, key)).text).toBe(first.text)
    expect(await api.runs(2)).toEqual([1])
  })

  it('is not needed: without one, the same request is done again', async () => {
    await api.post(count)
    await api.post(count)
    expect(await api.runs(2)).toEqual([2])
  })

  it('does not change the response of a read', async () => {
    const first = await withKey('query-table/orders')
    expect(withoutTimes((await withKey('query-table/orders')).headers)).toEqual(withoutTimes(first.headers))
  })
})

describe('a key that is used again with another token or guard', () => {
  it.each<[string, object]>([
    ['claims', { as: { ...north, role: 'clerk' } }],
    ['guard', { guard: 'web' }],
  ])('is refused for another %s', async (_, changed) => {
    expect((await withKey(count)).status).toBe(200)
    expectFailure(await withKey(count, {}, 'one', changed), reused)
    expect(await api.runs(2)).toEqual([1])
  })

  it.each<[string, z.ZodType<{ readonly session_state: unknown }>, unknown, unknown]>([
    ['a text', z.object({ session_state: z.string() }), 'first', 'second'],
    ['a set', z.object({ session_state: z.array(z.string()).transform((all) => new Set(all)) }), ['first'], ['second']],
  ])(
    'is refused for another `session_state` if the schema of the claims declares it: %s',
    async (_, claims, one, other) => {
      const table = tableDefiner<z.output<typeof claims>>()({
        name: 'schools',
        from: orders,
        key: 'id',
        scope: everyRow,
        columns: { id: { label: 'ID' } },
        bulkActions: { inspect: { run: () => {} } },
      })
      const schools = api.variant({}, createRegistry([table], { claims }))
      const inspect = (session_state: unknown) =>
        schools.post(
          'bulk-table-action/schools/inspect',
          { selected_ids: [2] },
          { as: { sub: 'nora', session_state }, headers: { 'idempotency-key': 'one' } },
        )
      expect((await inspect(one)).status).toBe(200)
      expectFailure(await inspect(other), reused)
      expect((await inspect(one)).headers).toHaveProperty('idempotency-replayed')
    },
  )

  it('gets the first response again with a new token of the same rights', async () => {
    const first = await withKey(count)
    const again = await withKey(count, {}, 'one', { as: { ...north, iat: 1_700_000_000, jti: 'another' } })
    expect(again.text).toBe(first.text)
  })
})
