import fc from 'fast-check'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { foldText } from '../../lib/i18n/fold-text.ts'
import { itSince } from '../support/database/it-since.ts'
import { serviceSchema } from '../support/database/service-schema.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'

const maxLetter = 0x1f64f

let database: TestDatabase
let sql: postgres.Sql

beforeAll(async () => {
  database = await testDatabase(serviceSchema)
  sql = postgres(database.serviceUrl, { max: 1 })
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

async function foldInDatabase(texts: readonly string[]): Promise<readonly string[]> {
  const rows = await sql`
    select table_control.fold_text(text) as folded from unnest(${texts}::text[]) with ordinality given (text, place) order by place`
  return rows.map(({ folded }) => folded)
}

it.each([
  ['NFKC', 'ﬁ Ｗｉｄｅ ①', 'fi wide 1'],
  ['case', 'ÇA ΟΔΟΣ ЁЖ ԵՐԵՎԱՆ', 'ca οδοσ еж երեվան'],
  ['Latin diacritics', 'Crème İstanbul Łódź Ærø Đà Nẵng', 'creme istanbul lodz aero da nang'],
  ['ß', 'Straße STRAẞE', 'strasse strasse'],
  ['forms of hamza and alef', 'أحمد إدارة آخر ٱلله مؤمن شئون', 'احمد اداره اخر الله مومن شيون'],
  ['ta marbuta and alef maqsura', 'مدرسة مستشفى', 'مدرسه مستشفي'],
  ['tashkeel and tatweel', 'مُحَمَّدٌ الـرياض', 'محمد الرياض'],
  ['Arabic-Indic and Persian digits', '٠١٢٣٤٥٦٧٨٩ ۰۱۲۳۴۵۶۷۸۹', '0123456789 0123456789'],
  ['letters of Persian keyboards', 'کتابی', 'كتابي'],
  ['marks of direction', 'a\u200fb\u202ec\u2066', 'abc'],
])('both foldings agree on %s: %s', async (_, text, folded) => {
  expect([foldText(text), ...(await foldInDatabase([text]))]).toEqual([folded, folded])
})

const letter = fc.oneof(
  { arbitrary: fc.integer({ min: 0x20, max: 0x24f }), weight: 3 },
  { arbitrary: fc.integer({ min: 0x300, max: 0x6ff }), weight: 4 },
  { arbitrary: fc.integer({ min: 0x1e00, max: 0x206f }), weight: 2 },
  { arbitrary: fc.integer({ min: 0xfb00, max: 0xffdc }), weight: 2 },
  { arbitrary: fc.integer({ min: 0x1, max: 0xa7bf }), weight: 1 },
  { arbitrary: fc.integer({ min: 0x1f300, max: maxLetter }), weight: 1 },
)

/** The code points of the planes above that the database has no letter for: Node may know a newer Unicode. */
async function findUnassigned(): Promise<ReadonlySet<number>> {
  const rows = await sql`
    select code from generate_series(1, ${maxLetter}) code
    where code not between ${0xd800} and ${0xdfff} and not unicode_assigned(chr(code))`
  return new Set(rows.map(({ code }) => code))
}

itSince(17)('both foldings of any text are equal, and change nothing when they are repeated', async () => {
  const unassigned = await findUnassigned()
  const known = letter.filter((code) => !unassigned.has(code))
  const text = fc.array(known, { maxLength: 12 }).map((codes) => String.fromCodePoint(...codes))
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 50, maxLength: 200 }), async (texts) => {
      const folded = await foldInDatabase(texts)
      expect(folded).toEqual(texts.map(foldText))
      expect(await foldInDatabase(folded)).toEqual(folded)
    }),
    { numRuns: 60 },
  )
})
