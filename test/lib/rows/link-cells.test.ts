import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRegistry, everyRow, tableDefiner } from '../../../lib/index.ts'
import { type ParcelService, startParcelService } from '../../support/parcels/parcel-service.ts'

const links = pgTable('links', { id: integer().primaryKey(), address: text(), picture: text() })

const defineTable = tableDefiner<Record<string, unknown>>()
const label = 'Link'

const registry = createRegistry([
  defineTable({
    name: 'links',
    from: links,
    key: 'id',
    scope: everyRow,
    columns: {
      address: { label, type: 'link' },
      picture: { label, type: 'image' },
      labelled: { label, type: 'link', value: ({ address }) => address && { value: address, label: 'A label' } },
      made: { label, type: 'image', value: ({ address }) => address },
      loaded: { label, type: 'link', load: async (rows) => rows.map(({ address }) => address) },
      words: { label, value: ({ address }) => address },
    },
  }),
])

/** Addresses, and whether a client may follow them. */
const addresses: readonly (readonly [address: string, isSafe: boolean])[] = [
  ['https://example.test/a?b=c#d', true],
  ['HTTP://example.test', true],
  ['mailto:someone@example.test', true],
  ['tel:+20212345678', true],
  ['/a/relative/path', true],
  ['//example.test/of-the-same-scheme', true],
  ['?page=2', true],
  ['ملف', true],
  ['', true],
  ['javascript:alert(1)', false],
  ['JaVaScRiPt:alert(1)', false],
  [' \u0001javascript:alert(1)', false],
  ['java\tscript\n:alert(1)', false],
  ['data:text/html,<script>alert(1)</script>', false],
  ['data:image/png;base64,AAAA', false],
  ['vbscript:msgbox(1)', false],
  ['file:///etc/passwd', false],
  ['blob:https://example.test/1', false],
]

let service: ParcelService

beforeAll(async () => {
  service = await startParcelService({ registry })
  const owner = postgres(service.url, { max: 1 })
  await owner`create table links (id int primary key, address text, picture text)`
  await owner`insert into links ${owner(addresses.map(([address], id) => ({ id, address, picture: address })))}`
  await owner`insert into links values (${addresses.length}, null, null)`
  await owner.end()
})
afterAll(() => service.stop())

describe('the cell of a link or an image', () => {
  it('leads nowhere unless it is an http, https, mailto, tel or relative URL, regardless of its source', async () => {
    const { json } = await service.api.post('query-table/links', { perPage: 100 })
    const cells = addresses.map(([address, isSafe], id) => {
      const safe = isSafe ? address : '!#'
      const item = json.items.find((row: { id: number }) => row.id === id)
      expect(item, address).toMatchObject({ address: safe, picture: safe, made: safe, loaded: safe, words: address })
      return [item.labelled?.value ?? '', address === '' ? '' : safe]
    })
    for (const [labelled, safe] of cells) expect(labelled).toBe(safe)
  })

  it('stays null where there is no address', async () => {
    const { json } = await service.api.post(`row-refetch/links/${addresses.length}`)
    expect(json.data.row).toMatchObject({ address: null, picture: null, labelled: null, made: null, loaded: null })
  })

  it.each([
    ['a safe address', 0, 'https://example.test/a?b=c#d', 'link'],
    ['an unsafe address', 10, '-', 'text'],
  ])('is text in the details of a row: %s', async (_, id, value, type) => {
    const { data } = (await service.api.post(`row-table-action/links/show_details/${id}`)).json
    expect(data.address).toMatchObject({ value, type })
    expect(data.labelled).toMatchObject({ value: value === '-' ? 'A label' : `A label (${value})`, type: 'text' })
  })
})
