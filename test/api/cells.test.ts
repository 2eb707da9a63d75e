import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { ledgerRows, visitRows } from '../support/fixtures/fixture-rows.ts'
import { samples } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startFixtureApi()

const items = async (table: string): Promise<readonly ApiResponse['json'][]> =>
  (await api.post(`query-table/${table}`, { perPage: 100 })).json.items

describe('cells by the type of their column', () => {
  it.each([
    ['text', 'short', 'open'],
    ['number, exact', 'exact', 0.1],
    ['number, binary', 'real', 0.1],
    ['number beyond 2^53 as text', 'big', '9007199254740993'],
    ['boolean', 'flag', true],
    ['date', 'day', '31.01.2026'],
    ['date with a time', 'at', '2026-01-31 21:30'],
    ['datalist', 'words', ['one', 'with "quotes"', 'عربي']],
    ['datalist of big numbers, without its NULLs', 'counts', ['1', '9007199254740993']],
    ['a value made of a list', 'sum', '9007199254740994'],
    ['image', 'picture', 'https://pictures.example.test/1.png'],
    ['link', 'address', 'https://example.test/a?b=c'],
    ['link with a label', 'anchor', { value: 'https://example.test/a?b=c', label: 'To 1' }],
    ['a format', 'details', 'red'],
    ['a column loaded for the page', 'place', 10],
  ])('%s', async (_, key, expected) => {
    const [row] = await items('samples')
    expect(row[key]).toEqual(expected)
  })

  it('loaded columns cannot mix up the rows, whose list they get as a copy', async () => {
    const table = defineFixture({
      name: 'sorted',
      from: samples,
      key: 'id',
      scope: everyRow,
      columns: {
        last: {
          label: 'Last',
          load: async (rows) => (rows as unknown as { id: number }[]).reverse().map(({ id }) => id),
        },
        own: { label: 'Own', value: ({ id }) => id },
      },
      rowActions: { copy: { type: 'copy', copies: ({ id }) => String(id) } },
      bulkActions: { file: { export: 'csv', deliver: 'file' } },
    })
    const served = api.variant({}, createRegistry([table], { claims: fixtureClaims }))
    for (const { id, actions } of (await served.post('query-table/sorted')).json.items)
      expect(actions.copy.copy_value).toBe(String(id))
    const { text } = await served.post('bulk-table-action/sorted/file', {})
    const owns = text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => Number(line.split(',')[1]))
    expect(owns).toEqual(owns.toSorted((one, other) => one - other))
  })

  it('a function that returns nothing gives null, and the item still has the key', async () => {
    const nothing: unknown = undefined
    const columns = {
      made: { label: 'Made', value: () => nothing as null },
      short: { label: 'Short', format: () => nothing as null },
    }
    const table = defineFixture({ name: 'blank', from: samples, key: 'id', scope: everyRow, columns })
    const served = api.variant({}, createRegistry([table], { claims: fixtureClaims }))
    const { json } = await served.post('query-table/blank', { perPage: 1 })
    expect(json.items[0]).toMatchObject({ made: null, short: null })
  })

  it('the failure of one loaded column beside that of another fails the page and no more', async () => {
    const columns = {
      later: { label: 'Later', load: () => Promise.reject(new Error('the service is away')) },
      atOnce: {
        label: 'At once',
        load: () => {
          throw new Error('the service is away')
        },
      },
    }
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    const table = defineFixture({ name: 'away', from: samples, key: 'id', scope: everyRow, columns })
    const served = api.variant({ LOG_LEVEL: 'silent' }, createRegistry([table], { claims: fixtureClaims }))
    expect(await served.post('query-table/away')).toMatchObject({ status: 500, json: { code: 'internal_error' } })
    await setImmediate()
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('html is sanitised: no scripts, handlers or script links', async () => {
    const [row] = await items('samples')
    expect(row.markup).toContain('<b>bold</b>')
    expect(row.markup).not.toMatch(/script|onclick|steal/)
  })

  it('html that an author’s function returns is sanitised too', async () => {
    const [row] = await items('samples')
    expect(row.styled).toBe('<i>open</i>')
  })

  it('barcode is a PNG in base64', async () => {
    const [row] = await items('samples')
    expect(Buffer.from(row.unit, 'base64').subarray(1, 4).toString()).toBe('PNG')
  })

  it('a missing value is null for every type, and so is what a loading function leaves out', async () => {
    const row = (await items('samples'))[1]
    const { id, row: _, actions: __, place, ...cells } = row
    expect([id, place]).toEqual([2, 20])
    expect(Object.keys(cells)).toHaveLength(18)
    for (const [key, cell] of Object.entries(cells)) expect(cell, key).toBeNull()
  })

  it('empty is not missing', async () => {
    const row = (await items('samples'))[2]
    expect(row).toMatchObject({ short: '', markup: '', flag: false, words: [], picture: '', address: '', big: 5 })
  })

  it('a number that JSON does not know is null', async () => {
    expect((await items('samples'))[2].real).toBeNull()
  })

  it('an exact decimal is a text where a double would lose digits', async () => {
    expect((await items('samples'))[2].exact).toBe('12345678901234567890.5')
    expect((await items('ledger')).map(({ amount }) => amount)).toEqual([
      -1e-21,
      '12345678901234567890.123',
      0.1,
      null,
      900719925474099.5,
    ])
    expect((await items('ledger')).map(({ units }) => units)).toEqual([
      null,
      7,
      '9007199254740993',
      9007199254740992,
      '9223372036854775807',
    ])
  })

  it('a computed value is a cell like any other', async () => {
    const byId = Object.fromEntries((await items('products')).map((item) => [item.id, item.value]))
    expect([byId[1], byId[3], byId[5], byId[13]]).toEqual([62.5, 10, null, 21474836.47])
  })

  it('relations give their values, and null where nothing is related', async () => {
    const byId = Object.fromEntries((await items('products')).map((item) => [item.id, item]))
    expect(byId[1]).toMatchObject({ supplier__name: 'Acme', supplier__home__name: 'France' })
    expect(byId[5]).toMatchObject({ supplier__name: 'Nowhere Ltd', supplier__home__name: null })
    expect(byId[7]).toMatchObject({ supplier__name: null, supplier__home__name: null })
  })
})

describe('the details of a row', () => {
  const details = async (id: number, ln = 'en') => {
    const { json } = await api.post(`row-table-action/samples/show_details/${id}`, {}, { headers: { ln } })
    const entries: [string, { value: unknown }][] = Object.entries(json.data)
    return Object.fromEntries(entries.map(([key, { value }]) => [key, value]))
  }

  it('show what the table shows: labels, words for true and false, texts instead of markup and pictures', async () => {
    expect(await details(1)).toMatchObject({
      short: 'Open',
      markup: 'boldlink',
      exact: 0.1,
      big: '9007199254740993',
      flag: 'On',
      day: '31.01.2026',
      words: ['one', 'with "quotes"', 'عربي'],
      unit: 'a81bc81b-dead-4e5d-abff-90865d1e13b1',
      styled: 'open',
      address: 'https://example.test/a?b=c',
      anchor: 'To 1 (https://example.test/a?b=c)',
      place: 10,
    })
    expect(await details(1, 'ar')).toMatchObject({ short: 'مفتوح', flag: 'يعمل' })
    expect((await details(3))['flag']).toBe('OFF')
  })

  it('show a dash for every missing or empty value, and nothing but texts, numbers and lists', async () => {
    const { place, ...missing } = await details(2)
    expect(place).toBe(20)
    expect(new Set(Object.values(missing))).toEqual(new Set(['-']))
    expect(await details(3)).toMatchObject({ words: '-', picture: '-', real: '-' })
  })
})

describe('dates are written in the table’s time zone', () => {
  it('across midnight in Riyadh', async () => {
    expect((await items('visits')).map(({ at, clock, day }) => [at, clock, day])).toEqual([
      ['2026-01-31 23:59:59', '31/01/2026 23:59', '2026-01-31'],
      ['2026-02-01 00:00:00', '01/02/2026 00:00', '2026-02-01'],
      ['2026-02-28 23:59:59', '28/02/2026 23:59', '2026-02-28'],
      ['2026-03-01 00:00:00', '01/03/2026 00:00', '2026-03-01'],
      [null, null, null],
    ])
    expect(visitRows).toHaveLength(5)
  })

  it('uses the time zone of the service if the table names none', async () => {
    const tokyo = api.variant({ TIME_ZONE: 'Asia/Tokyo' })
    const [row] = (await tokyo.post('query-table/samples')).json.items
    expect(row).toMatchObject({ at: '2026-02-01 06:30', day: '31.01.2026' })
  })
})

describe('an item', () => {
  it('has a key for each column’s data_src, and no key of any other name', async () => {
    for (const table of ['products', 'samples', 'tasks', 'ledger', 'documents', 'bare']) {
      const { columns } = (await api.get(`load-table/${table}`)).json
      const keys = columns.map((column: { data_src: string }) => column.data_src).filter((key: string) => key !== 'NA')
      const expected = [...new Set([...keys, 'id', 'row', 'actions'])].toSorted()
      for (const item of await items(table)) expect(Object.keys(item).toSorted(), table).toEqual(expected)
    }
  })

  it('has no key for an actions column, not even null', async () => {
    for (const item of await items('tasks')) expect(item).not.toHaveProperty('NA')
  })

  it.each([
    ['products', 'number'],
    ['ledger', 'string'],
    ['documents', 'string'],
    ['devices', 'string'],
    ['bare', 'number'],
  ])('has an id of one JSON type in every row of %s: %s', async (table, type) => {
    for (const { id } of await items(table)) expect(typeof id).toBe(type)
  })

  it('has the id of its row, to the last digit', async () => {
    expect((await items('ledger')).map(({ id }) => id)).toEqual(ledgerRows.map(({ id }) => String(id)))
  })
})
