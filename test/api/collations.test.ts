import { sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lintSorts } from '../../infra/scaffold/lint/lint-sorts.ts'
import { lintSources } from '../../infra/scaffold/lint/lint-sources.ts'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

const words = pgTable('collated_words', {
  id: integer().primaryKey(),
  code: text().notNull(),
  german: text(),
  swedish: text(),
})

const table = defineFixture({
  name: 'words',
  from: words,
  key: 'id',
  computed: { upper_code: sql<string>`upper(${words.code})` },
  scope: everyRow,
  columns: {
    id: { label: 'ID', sortable: true },
    code: { label: 'Code', collation: 'natural', sortable: true },
    german: { label: 'German', collation: 'de', sortable: true },
    swedish: { label: 'Swedish', collation: 'sv', sortable: true },
    upper_code: { label: 'Upper code', type: 'text', collation: 'natural', sortable: true },
  },
  defaultSort: ['code', 'asc'],
})

const registry = createRegistry([table], { claims: fixtureClaims })
const fixture = await startFixtureApi()
const client = postgres(fixture.databaseUrl, { max: 1, onnotice: () => {} })
const api = fixture.variant({}, registry)
afterAll(() => client.end())

const letters = ['Zebra', 'Äpfel', 'apple', 'Zürich', 'ähnlich', 'öre', 'Ost', null, 'apple', 'Ärger', 'zoo', null]
const rows = letters.map((word, at) => ({
  id: at + 1,
  code: `Lot ${[10, 2, 1, 33, 3][at % 5]}${at % 3 === 0 ? 'b' : ''}`,
  word,
}))

beforeAll(async () => {
  await client.unsafe(`
    create collation "natural" (provider = icu, locale = 'und-u-kn-true');
    create table collated_words (id integer primary key, code text not null, german text, swedish text);
    grant select on collated_words to public`)
  for (const { id, code, word } of rows)
    await client`insert into collated_words values (${id}, ${code}, ${word}, ${word})`
})

interface Word {
  readonly id: number
  readonly code: string
  readonly german: string | null
  readonly swedish: string | null
}

const ask = async (body: object): Promise<readonly Word[]> => (await api.post('query-table/words', body)).json.items

async function walk(body: object, perPage: number): Promise<readonly Word[]> {
  const items: Word[] = []
  for (let cursor: string | undefined; ; ) {
    const { json } = await api.post('query-table/words', { ...body, perPage, ...(cursor && { cursor }) })
    items.push(...json.items)
    cursor = json.pagination.next_cursor ?? undefined
    if (cursor === undefined) return items
  }
}

describe('the collation of a column', () => {
  it('sorts the numbers of texts by their value where it is natural, also without a sort', async () => {
    const codes = [...new Set((await ask({})).map(({ code }) => code))]
    expect(codes).toEqual(codes.toSorted(new Intl.Collator('en', { numeric: true }).compare))
    const first = await ask({ sorts: { code: 'asc' }, columns: ['code'], perPage: 3 })
    expect(first).toEqual([
      { id: 3, code: 'Lot 1' },
      { id: 8, code: 'Lot 1' },
      { id: 2, code: 'Lot 2' },
    ])
  })

  it.each([
    ['german', 'de'],
    ['swedish', 'sv'],
  ] as const)('sorts %s texts as a reader of the locale %s expects', async (field, locale) => {
    const sorted = (await ask({ sorts: { [field]: 'asc' } })).flatMap((item) => item[field] ?? [])
    expect(sorted).toEqual(sorted.toSorted(new Intl.Collator(locale).compare))
    expect(sorted.at(-1)).toBe(locale === 'sv' ? 'öre' : 'Zürich')
  })

  it('is that of cursors, in any order and with missing values on either side', async () => {
    const sort = fc.record({
      field: fc.constantFrom('code', 'german', 'swedish', 'upper_code', 'id'),
      direction: fc.constantFrom('asc', 'desc'),
      nulls: fc.constantFrom(undefined, 'first', 'last'),
    })
    const sorts = fc.uniqueArray(sort, { minLength: 1, maxLength: 3, selector: ({ field }) => field })
    await fc.assert(
      fc.asyncProperty(sorts, fc.integer({ min: 1, max: 5 }), async (order, perPage) => {
        const whole = await ask({ sorts: order, perPage: 100 })
        expect(whole).toHaveLength(rows.length)
        expect(await walk({ sorts: order }, perPage)).toEqual(whole)
      }),
      { numRuns: 40 },
    )
  })

  it('stands in the structure, and nowhere else', async () => {
    const { columns } = (await api.get('load-table/words')).json
    const collations = columns.map((column: Readonly<Record<string, unknown>>) => [
      column['data_src'],
      column['collation'],
    ])
    expect(collations).toEqual([
      ['id', undefined],
      ['code', 'natural'],
      ['german', 'de'],
      ['swedish', 'sv'],
      ['upper_code', 'natural'],
      ['NA', undefined],
    ])
  })

  it.each([
    ['id', 'natural', 'its values are no texts'],
    ['german', 'nowhere land', 'must be "natural" or a locale'],
    ['german', 'DE', 'must be "natural" or a locale'],
    ['german', 'de-u-co-phonebk', 'must be "natural" or a locale'],
  ])('cannot be declared for the column %s as %j', (key, collation, text) => {
    const columns = { ...table.definition.columns, [key]: { label: 'Wrong', collation } }
    const wrong = { definition: { ...table.definition, columns } } as typeof table
    expect(() => createRegistry([wrong], { claims: fixtureClaims })).toThrow(text)
  })
})

describe('table:lint', () => {
  const lint = async (definition = table) => {
    const registered = createRegistry([definition], { claims: fixtureClaims }).registered.get('words')
    const compiled = await registered?.load()
    if (compiled === undefined) throw new Error('the table is not registered')
    return lintSorts(client, compiled)
  }

  it('names the index that a collated sort needs, and is content with it', async () => {
    const before = await lint()
    const [code] = before.filter(({ about }) => about === 'code')
    expect(code).toMatchObject({
      rule: 'default-sort-index',
      fix: ['index().on(sql`$', '{t.code} collate "natural"`, t.id) in its schema file'].join(''),
    })
    await client.unsafe('create index on collated_words ((code collate "natural"), id)')
    await client.unsafe('create index on collated_words ((german collate "de-x-icu") desc nulls last, id desc)')
    const after = (await lint()).map(({ about, text }) => `${about}: ${text}`)
    expect(after.filter((text) => text.startsWith('code'))).toEqual([])
    expect(after.filter((text) => text.startsWith('german'))).toEqual([
      'german: sorting by german asc sorts all rows for each page: no index has that order',
    ])
  })

  it('finds a filter by parts of texts under a collation that knows none', async () => {
    await client.unsafe(`
      create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      alter table collated_words alter german type text collate caseless`)
    const filters = { german: { type: 'text', label: 'German' }, swedish: { type: 'text', label: 'Swedish' } }
    const filtered = { definition: { ...table.definition, filters } } as typeof table
    const compiled = await createRegistry([filtered], { claims: fixtureClaims }).registered.get('words')?.load()
    const found = compiled === undefined ? [] : await lintSources(client, compiled)
    await client.unsafe('alter table collated_words alter german type text collate "default"')
    expect(found).toMatchObject([
      { rule: 'collation', about: 'german', text: expect.stringContaining('nondeterministic collation "caseless"') },
    ])
  })

  it('says how to create a collation that the database does not have', async () => {
    const columns = { ...table.definition.columns, german: { label: 'German', collation: 'xx' } }
    const unknown = { definition: { ...table.definition, columns } } as typeof table
    expect(await lint(unknown)).toMatchObject([{ rule: 'collation', about: 'german' }])
  })
})

describe('sorts[].nulls', () => {
  it.each([
    ['asc', 'first'],
    ['asc', 'last'],
    ['desc', 'first'],
    ['desc', 'last'],
  ])('%s, puts missing values %s', async (direction, nulls) => {
    const items = await ask({ sorts: [{ field: 'german', direction, nulls }] })
    const missing = items.map(({ german }) => german === null)
    expect(nulls === 'first' ? missing.slice(0, 2) : missing.slice(-2)).toEqual([true, true])
  })

  it('is null or absent for missing values at the end', async () => {
    const [plain, withNull] = await Promise.all([
      ask({ sorts: [{ field: 'german', direction: 'desc' }] }),
      ask({ sorts: { field: 'german', direction: 'desc', nulls: null } }),
    ])
    expect(withNull).toEqual(plain)
  })

  it('is kept by a cursor, which continues no other order', async () => {
    const sorts = [{ field: 'german', direction: 'asc', nulls: 'first' }]
    const { json } = await api.post('query-table/words', { sorts, perPage: 2 })
    const other = { sorts: [{ field: 'german', direction: 'asc' }], cursor: json.pagination.next_cursor }
    expectFailure(await api.post('query-table/words', other), {
      status: 422,
      code: 'validation_failed',
      field: 'cursor',
    })
  })

  it.each(['FIRST', 'top', true, 1, {}, ['first']])('cannot be %j', async (nulls) => {
    const refused = await api.post('query-table/words', { sorts: [{ field: 'german', direction: 'asc', nulls }] })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'sorts.german.nulls' })
  })
})
