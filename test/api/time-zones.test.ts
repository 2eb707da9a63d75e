import { readXlsx } from 'hucre/xlsx'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findMoment } from '../../lib/i18n/skipped-time.ts'
import { isSharedTimeZone, zoneOffset } from '../../lib/i18n/time-zone.ts'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims, north } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'

const accept = { accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }

const zones = {
  havana: 'America/Havana',
  azores: 'Atlantic/Azores',
  cairo: 'Africa/Cairo',
  apia: 'Pacific/Apia',
  riyadh: 'Asia/Riyadh',
} as const

type Place = keyof typeof zones

const tables = Object.entries(zones).map(([name, timeZone]) =>
  defineFixture({
    name,
    timeZone,
    from: orders,
    key: 'id',
    scope: everyRow,
    columns: { id: { label: 'ID' }, due: { label: 'Due' } },
    filters: { due: { type: 'date', label: 'Due', operators: ['>=', '<=', '<', '>', '=', '!=', 'within'] } },
    bulkActions: { workbook: { export: 'excel', deliver: 'file' } },
  }),
)

const work = await startWorkApi()
const api = work.variant({}, createRegistry(tables, { claims: fixtureClaims }))

const putOrders = async (...moments: readonly string[]) => {
  await work.sql`delete from orders`
  for (const [index, due] of moments.entries())
    await work.sql`insert into orders (id, tenant, title, state, due) values (${index + 1}, 'north', 'Order', 'open', ${due})`
}

const select = async (place: Place, operator: string, value: unknown) =>
  listIds(
    await api.post(`query-table/${place}`, { filters: [{ field: 'due_from', operator, value }], sorts: { id: 'asc' } }),
  )

it('a time zone that a table may name is one that Postgres reads as the service does', async () => {
  const known = await work.sql`select name from pg_timezone_names union select abbrev from pg_timezone_abbrevs`
  const onlyOfIcu = ['US/Pacific-New', 'SystemV/YST9YDT', 'SystemV/HST10', 'AET', 'VST']
  const supported = Intl.supportedValuesOf('timeZone')
  const names = [...known.map(({ name }) => String(name)), ...supported, ...onlyOfIcu].filter(isSharedTimeZone)
  expect(names).toEqual(expect.arrayContaining(['UTC', 'GMT', 'Asia/Riyadh', 'Etc/GMT-3', 'Singapore', 'EST5EDT']))
  for (const moment of ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z']) {
    const read = await work.sql`
      select name, extract(epoch from ${moment}::timestamptz at time zone name - ${moment}::timestamptz at time zone 'UTC')::int as seconds
      from unnest(${names}::text[]) name`
    for (const { name, seconds } of read)
      expect([name, seconds * 1_000]).toEqual([name, zoneOffset(Date.parse(moment), name)])
  }
})

it.each([
  ['America/New_York', '2026-11-01T01:30:00'],
  ['Europe/Berlin', '2026-10-25T02:30:00'],
  ['Australia/Lord_Howe', '2026-04-05T01:45:00'],
  ['Asia/Riyadh', '2026-07-01T10:30:00'],
])('a time that the clocks may show twice is the moment that Postgres takes it for: %s, %s', async (zone, local) => {
  const [row] = await work.sql`select ${local}::text::timestamp at time zone ${zone}::text as moment`
  expect(new Date(findMoment(local, zone) ?? 0)).toEqual(row?.['moment'])
})

describe('a day whose midnight the clocks of its zone', () => {
  it.each([
    [
      'havana',
      '2026-11-01',
      ['2026-11-01T03:59:59.999Z', '2026-11-01T04:00Z', '2026-11-01T05:30Z', '2026-11-02T05:00Z'],
    ],
    [
      'azores',
      '2026-10-25',
      ['2026-10-24T23:59:59.999Z', '2026-10-25T00:00Z', '2026-10-25T01:30Z', '2026-10-26T01:00Z'],
    ],
    [
      'cairo',
      '2026-10-30',
      ['2026-10-29T21:59:59.999Z', '2026-10-29T22:00Z', '2026-10-30T21:59Z', '2026-10-30T22:00Z'],
    ],
  ] as const)('repeat has the hour before the second one: %s, %s', async (place, day, moments) => {
    await putOrders(...moments)
    expect(await select(place, '>=', { from: day, to: day })).toEqual([2, 3])
    expect(await select(place, '=', day)).toEqual([2, 3])
    expect(await select(place, '!=', day)).toEqual([1, 4])
    expect(await select(place, '<', day)).toEqual([1])
    expect(await select(place, '>', day)).toEqual([4])
  })

  it('skip begins when they go on', async () => {
    await putOrders('2026-04-23T21:59:59.999Z', '2026-04-23T22:00Z', '2026-04-24T20:59:59.999Z', '2026-04-24T21:00Z')
    expect(await select('cairo', '=', '2026-04-24')).toEqual([2, 3])
  })

  it('skip with all of its hours has no rows', async () => {
    await putOrders('2011-12-30T09:59:59.999Z', '2011-12-30T10:00Z')
    expect(await select('apia', '=', '2011-12-29')).toEqual([1])
    expect(await select('apia', '=', '2011-12-30')).toEqual([])
    expect(await select('apia', '=', '2011-12-31')).toEqual([2])
  })
})

it('the first and the last day that a filter may name bound a range of days', async () => {
  await putOrders('2026-01-01T00:00Z')
  expect(await select('havana', '>=', { from: '0001-01-01', to: '9999-12-31' })).toEqual([1])
})

it('the summary of a workbook names the zone of an open group whose days are not those of its cells', async () => {
  await putOrders('2026-11-26T12:00Z')
  const group_by = [{ field: 'due', bucket: 'day' }]
  const summary = async (time_zone: string) => {
    const { json } = await api.post('query-table/riyadh', { group_by, time_zone })
    const group = json.groups[0].token
    const { bytes } = await api.post('bulk-table-action/riyadh/workbook', { group, time_zone }, { headers: accept })
    const { sheets } = await readXlsx(bytes)
    return JSON.stringify(sheets[1]?.rows)
  }
  expect(await summary('Pacific/Apia')).toContain('"Due is 2026-11-27 (Pacific/Apia)"')
  expect(await summary('Asia/Riyadh')).toContain('"Due is 2026-11-26"')
})

describe('a page of today that is continued after midnight', () => {
  const as = work.provider.tokenFor({ ...north, iat: 1 })
  const today = { filters: [{ field: 'due_from', operator: 'within', value: 'today' }], sorts: { id: 'asc' } }
  const ask = async (now: string, body: object) => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.parse(now))
    return api.post('query-table/riyadh', { ...today, ...body }, { as })
  }
  const [before, later, after] = ['2026-11-26T20:00:00Z', '2026-11-26T20:30:00Z', '2026-11-26T21:30:00Z'] as const
  const byDay = { group_by: [{ field: 'due', bucket: 'day' }, { field: 'id' }], groups_page: { limit: 1 } }
  const putToday = () =>
    putOrders('2026-11-26T01:00Z', '2026-11-26T02:00Z', '2026-11-26T03:00Z', '2026-11-26T22:00Z', '2026-11-26T23:00Z')
  afterEach(() => vi.restoreAllMocks())

  it('has the rows, the total and the period of the page before', async () => {
    await putToday()
    const { json } = await ask(before, { perPage: 2 })
    expect(json.pagination.total).toBe(3)
    const next = await ask(after, { perPage: 2, cursor: json.pagination.next_cursor })
    expect(listIds(next)).toEqual([3])
    expect(next.json.pagination).toMatchObject({ total: 3, next_cursor: null })
    expect(next.json.resolved).toEqual(json.resolved)
    expect(listIds(await ask(after, { perPage: 2 }))).toEqual([4, 5])
  })

  it('has the groups that follow, and each has the rows that it has counted, also in an export', async () => {
    await putToday()
    const { json } = await ask(before, byDay)
    const next = await ask(after, { ...byDay, groups_page: { limit: 1, after: json.groups_next } })
    expect(next.json.groups[0].keys[1]).toMatchObject({ value: 2 })
    for (const [index, { token }] of [json.groups[0], next.json.groups[0]].entries()) {
      const opened = await ask(after, { group: token })
      expect(listIds(opened)).toEqual([index + 1])
      const file = await api.post(
        'bulk-table-action/riyadh/workbook',
        { ...today, group: token },
        { as, headers: accept },
      )
      const { sheets } = await readXlsx(file.bytes)
      expect(sheets[0]?.rows.slice(1).map(([id]) => id)).toEqual([index + 1])
    }
  })

  it('has the same cursors and groups all day', async () => {
    await putToday()
    const first = await ask(before, { ...byDay, perPage: 1 })
    const second = await ask(later, { ...byDay, perPage: 1 })
    expect(second.json).toEqual(first.json)
  })

  it('is that of the present day once its groups are closed', async () => {
    await putToday()
    const { json } = await ask(before, byDay)
    expect(listIds(await ask(after, { groups_page: { after: json.groups_next } }))).toEqual([4, 5])
  })

  it('cannot be moved to another day', async () => {
    await putToday()
    const { json } = await ask(before, { ...byDay, perPage: 1 })
    const move = (token: string) => token.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
    const refuse = async (body: object, field: string) =>
      expectFailure(await ask(before, body), { status: 422, code: 'validation_failed', field })
    await refuse({ cursor: move(json.pagination.next_cursor) }, 'cursor')
    await refuse({ group: move(json.groups[0].token) }, 'group')
    await refuse({ ...byDay, groups_page: { after: move(json.groups_next) } }, 'groups_page.after')
  })

  it('ends a period "to date" at the end of its day', async () => {
    await putToday()
    const filters = [{ field: 'due_from', operator: 'within', value: 'day_to_date' }]
    const { json } = await ask(before, { filters, perPage: 2 })
    const next = await ask(after, { filters, perPage: 2, cursor: json.pagination.next_cursor })
    expect([listIds(next), next.json.resolved[0].to]).toEqual([[3], '2026-11-26T23:59:59.999+03:00'])
  })
})
