import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { terminate } from '../lib/db/terminate.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { listIds } from '../support/fixtures/list-ids.ts'
import { nora, sami } from '../support/jobs/job-installation.ts'
import { openedFile } from '../support/jobs/opened-file.ts'
import { startSecuredInstallation } from '../support/jobs/secured-installation.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'
import type { Api } from '../support/requests/api.ts'

const api = await startSecuredInstallation()
const { sql, environment } = api.jobs
afterAll(() => api.stop())
beforeEach(async () => {
  await sql`update secured_deals set runs = 0, tenant = case when id % 2 = 1 then 'north' else 'south' end`
})

const byId = [{ field: 'id', direction: 'asc' }]
const odd = [1, 3, 5, 7, 9]
const even = [2, 4, 6, 8, 10]
const stranger = { sub: 'stranger', tenant: 'nowhere' }

const page = (body: object = {}, as: object = nora, { post }: Pick<Api, 'post'> = api) =>
  post('query-table/deals', { sorts: byId, ...body }, { as: as as typeof nora })
const runs = async () => (await sql`select runs from secured_deals order by id`).map((row) => row['runs'])
const readCsv = async (url: string) =>
  (await (await openedFile(api, url)).text())
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => Number.parseInt(line.replace(/^\D+/, ''), 10))

describe('a table whose author forgot the scope, behind a policy', () => {
  it.each([
    ['nora', nora, odd],
    ['sami', sami, even],
    ['a stranger', stranger, []],
  ])('shows %s the own rows and counts no others', async (_who, as, ids) => {
    const response = await page({}, as)
    expect(listIds(response)).toEqual(ids)
    expect(response.json.pagination.total).toBe(ids.length)
    expect(
      response.json.bindings.id
        .map(({ value }: { readonly value: number }) => value)
        .toSorted((a: number, b: number) => a - b),
    ).toEqual(ids)
    const beyond = await page({ perPage: 2, page: 9 }, as)
    expect(beyond.json.pagination.total).toBe(ids.length)
  })

  it('never estimates a total, because the planner counts the rows of all callers', async () => {
    const { pagination } = (await page({ count: 'auto', perPage: 2, filters: { costly: 'yes' } })).json
    expect(pagination).toMatchObject({ total: 2, total_kind: 'capped' })
    const counted = await page({ count: 'auto', perPage: 2, page: 2, filters: { id: { operator: '>=', value: 1 } } })
    expect(counted.json.pagination).toMatchObject({ total: odd.length, total_kind: 'exact' })
  })

  it('never estimates a total of a table that says so either', async () => {
    const { pagination } = (await api.post('query-table/estimated_deals', { perPage: 2 }, { as: nora })).json
    expect(pagination).toMatchObject({ total: odd.length, total_kind: 'exact' })
  })

  it('does not use a remembered total for another token of the same caller', async () => {
    const costly = { filters: { costly: 'yes' }, perPage: 2 }
    const [fresh, old] = [1_000, 2_000].map((auth_time) => ({ ...nora, sub: 'steps-up', auth_time }))
    await page({ ...costly, count_only: true }, fresh)
    expect((await page({ ...costly, count: 'auto' }, fresh)).json.pagination.total_kind).toBe('exact')
    expect((await page({ ...costly, count: 'auto' }, old)).json.pagination.total_kind).toBe('capped')
  })

  it('remembers no total of one caller for another with the same claims', async () => {
    const costly = { filters: { costly: 'yes' }, perPage: 2 }
    await page({ ...costly, count_only: true }, { ...sami, sub: 'another' })
    expect((await page({ ...costly, count: 'auto' }, sami)).json.pagination.total_kind).toBe('capped')
  })

  it('goes on from a cursor, and structures come with bindings of the caller', async () => {
    const first = await page({ perPage: 2 })
    const second = await page({ perPage: 2, cursor: first.json.pagination.next_cursor })
    expect([listIds(first), listIds(second)]).toEqual([
      [1, 3],
      [5, 7],
    ])
    expect((await api.get('load-table/deals/true', { as: sami })).json.bindings.id).toHaveLength(5)
  })

  it('finds no foreign row by its id', async () => {
    expect((await api.post('row-refetch/deals/1')).status).toBe(200)
    expectFailure(await api.post('row-refetch/deals/2'), { status: 404, code: 'row_not_found' })
    const { json } = await api.post('multi-row-refetch/deals', { row_ids: [1, 2, 3] })
    expect(JSON.stringify(json)).not.toContain('Deal 2')
  })

  it('refuses actions on a row outside the scope', async () => {
    expectFailure(await api.post('row-table-action/deals/count/2'), { status: 404, code: 'row_not_found' })
    expect((await api.post('row-table-action/deals/count/1')).status).toBe(200)
    const several = await api.post('row-bulk-table-action/deals/count', { selected_ids: [2, 3] })
    expect(several.json.results).toMatchObject([{ id: 2, code: 'row_not_found' }, { id: 3 }])
    expect(await runs()).toEqual([1, 0, 1, 0, 0, 0, 0, 0, 0, 0])
  })

  it('lets neither an action nor an edit write what its caller may not see', async () => {
    const { status, json } = await api.post('row-table-action/deals/give_away/1')
    expect([status, json.code]).toEqual([500, 'internal_error'])
    const edit = await api.post('row-table-action/deals/update_cells/1', { cells: { tenant: 'south' } })
    expectFailure(edit, { status: 422, code: 'conflicting_data' })
    expect(await sql`select tenant from secured_deals where id = 1`).toEqual([{ tenant: 'north' }])
  })

  it('runs actions on its caller’s rows, even those of which an author restricted nothing', async () => {
    expect((await api.post('bulk-table-action/deals/reset')).json.success).toBe(true)
    expect(await runs()).toEqual([7, 0, 7, 0, 7, 0, 7, 0, 7, 0])
  })

  it.each([
    ['nora', nora, odd],
    ['sami', sami, even],
  ])('exports for %s only the own rows, at once and by a job', async (_who, as, ids) => {
    const { json } = await api.post('bulk-table-action/deals/as_csv', { sorts: byId }, { as })
    expect(json).toMatchObject({ success: true, rows: 5 })
    expect(await readCsv(json.data.url)).toEqual(ids)
    const job = await api.done('report_later', as)
    expect(job).toMatchObject({ status: 'succeeded', done: 5, total: 5, result: { rows: 5 } })
    const { url } = (job['result'] as { readonly data: { readonly url: string } }).data
    expect(await readCsv(url)).toEqual(ids)
  })

  it('is worked on by jobs as the caller who requested them', async () => {
    expect(await api.done('reset_later', sami)).toMatchObject({
      status: 'succeeded',
      result: { counts: { selected: 5, succeeded: 5, failed: 0 }, data: { met: [5, 5, 5] } },
    })
    expect(await runs()).toEqual([0, 9, 0, 9, 0, 9, 0, 9, 0, 9])
  })
})

describe('one connection that callers take turns on', () => {
  it('shows neither caller anything of the other, regardless of who comes first', async () => {
    const one = api.variant({ DATABASE_CONNECTIONS: '1' })
    const asked = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? nora : sami))
    const responses = await Promise.all(
      asked.map(async (as, index) => {
        const change = index % 5 === 0 ? await one.post('row-table-action/deals/count/1', {}, { as }) : undefined
        if (change !== undefined) expect(change.status).toBe(as === nora ? 200 : 404)
        return listIds(await page({}, as, one))
      }),
    )
    expect(responses).toEqual(asked.map((as) => (as === nora ? odd : even)))
  })

  it('takes one round trip for a page, its total and its bindings, and is asked again after it was lost', async () => {
    const proxy = await startTcpProxy({ target: String(environment['DATABASE_URL']) })
    onTestFinished(proxy.close)
    const one = api.variant({ DATABASE_CONNECTIONS: '1', DATABASE_URL: proxy.url() })
    const asked = { perPage: 2 }
    await page(asked, nora, one)
    const before = proxy.roundTrips()
    expect(listIds(await page(asked, sami, one))).toEqual([2, 4])
    expect(proxy.roundTrips() - before).toBe(1)
    await terminate(
      String(environment['DATABASE_URL']),
      `usename = current_user and application_name = 'table-control'`,
    )
    expect(listIds(await page(asked, nora, one))).toEqual([1, 3])
  })
})

describe('without the setting', () => {
  it('a policy shows no row where the statement names no caller', async () => {
    const untold = api.variant({ DATABASE_ROW_SECURITY: 'off' })
    const response = await page({}, nora, untold)
    expect([listIds(response), response.json.pagination.total]).toEqual([[], 0])
    expectFailure(await untold.post('row-refetch/deals/1'), { status: 404, code: 'row_not_found' })
  })
})
