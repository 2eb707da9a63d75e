import assert from 'node:assert/strict'
import { countSql, firstPageSql, selectFirstPage } from '../by-hand.ts'
import { drive } from '../drive.ts'
import { atLeast, compareTimes, type Figure, type Question } from '../figure.ts'
import { openLimit, openProduct, type Product } from '../opponents.ts'
import { prepare } from '../practical-limit.ts'
import { interleave, measure, median, ratio } from '../rounds.ts'

const rounds = 7
const deep = 100_000
const offset = 20 * (deep - 1)

/** A page in the default order, joined only after its keys are known. */
const deferredSql = `with page as materialized (select f.id from flights f order by f.date desc, f.id desc limit 20 offset $1)
  ${selectFirstPage('page join flights f on f.id = page.id')}`

/** The same page as a query builder writes it. */
const plainOffsetSql = `${firstPageSql('true')} offset $1`

interface Statement {
  readonly text: string
  readonly parameters: readonly unknown[]
}

/** The statement of query-table without its total; the total costs every variant the same. */
function withoutTotal(text: string): string {
  const shorter = text.replace(/, case when \(select count\(\*\).* end as total/s, '')
  if (shorter === text) throw new Error(`the statement has no total: ${text}`)
  return shorter
}

async function byNumber(
  product: Product,
  sql: ReturnType<typeof openLimit>['sql'],
  text: string,
): Promise<readonly Figure[]> {
  const pages = await interleave(rounds, {
    product: () => measure(() => prepare(sql, withoutTotal(text), [offset])),
    deferred: () => measure(() => prepare(sql, deferredSql, [offset])),
    plain: () => measure(() => prepare(sql, plainOffsetSql, [offset])),
  })
  const whole = await interleave(rounds, {
    product: () => measure(() => product.call({ page: deep })),
    deferred: () =>
      measure(() => Promise.all([prepare(sql, deferredSql, [offset]), prepare(sql, countSql('true'), [])])),
  })
  const faster = ratio(pages.plain, pages.product)
  return [
    compareTimes(
      'page 100,000, statement without its total, beside a deferred join by hand',
      pages.product,
      ['by hand', pages.deferred],
      { most: 1.3 },
    ),
    atLeast(
      'the same, faster than plain OFFSET with its joins',
      faster,
      6,
      `${faster.toFixed(1)} x (plain ${median(pages.plain).toFixed(0)} ms)`,
      ' x',
    ),
    compareTimes(
      'page 100,000 as a request, exact total of 3,000,000, beside both by hand',
      whole.product,
      ['by hand', whole.deferred],
      { most: 1.3 },
    ),
  ]
}

const readCursor = (response: string): string => JSON.parse(response).pagination.next_cursor

async function byCursor(product: Product): Promise<Figure> {
  const near = { cursor: readCursor(await product.call({ page: 1 })) }
  const far = { cursor: readCursor(await product.call({ page: deep - 1 })) }
  const [byNumberItems, byCursorItems] = [await product.call({ page: deep }), await product.call(far)].map(
    (text) => JSON.parse(text).items,
  )
  assert.deepEqual(byCursorItems, byNumberItems)
  const samples = await interleave(15, {
    near: () => drive(() => product.call(near), 1, 250),
    far: () => drive(() => product.call(far), 1, 250),
  })
  const p50 = (side: 'near' | 'far') => samples[side].map(({ p50Ms }) => p50Ms)
  const name = 'page 100,000 by cursor, beside the page after the first by cursor'
  return compareTimes(name, p50('far'), ['near', p50('near')], { most: 1.2 })
}

/** Seeks behind the row that page 99,999 ends with, as many rows as the cursor of page 1 does. */
async function firstPage(
  sql: ReturnType<typeof openLimit>['sql'],
  [first, seek]: readonly Statement[],
): Promise<Figure> {
  if (first === undefined || seek === undefined)
    throw new Error('a page by number and one by cursor were not both read')
  const [, , ...limit] = seek.parameters
  const seekValues = ['2001-03-02 22:20:00', '1000020', ...limit.map(String)]
  const samples = await interleave(15, {
    first: () => drive(() => prepare(sql, withoutTotal(first.text), []), 1, 250),
    seek: () => drive(() => prepare(sql, seek.text, seekValues), 1, 250),
  })
  const p50 = (side: 'first' | 'seek') => samples[side].map(({ p50Ms }) => p50Ms)
  const name = 'page 100,000 by cursor beside page 1, statements without a total'
  return compareTimes(name, p50('seek'), ['page 1', p50('first')], { most: 1.2 })
}

/** How far into a table one may go. */
export const deepPages: Question = {
  id: 'deep-pages',
  asks: 'What does page 100,000 of flights cost in its default order?',
  method: `One connection, ${rounds} rounds, alternating. Statements are compared without a total, requests with the exact one on both sides; a cursor brings its total along, so both pages by cursor count nothing.`,
  measure: async (bench) => {
    const statements: Statement[] = []
    const observe = (text: string, parameters: readonly unknown[]) => statements.push({ text, parameters })
    const product = openProduct(bench, 1, { observe })
    const { sql, close } = openLimit(bench.databaseUrl, 1)
    try {
      bench.report('by page number')
      await product.call({ page: deep })
      const numbered = await byNumber(product, sql, statements[0]?.text ?? '')
      bench.report('by cursor')
      statements.length = 0
      await product.call({ cursor: readCursor(await product.call({ page: 1 })) })
      const pages = [...statements]
      return [...numbered, await firstPage(sql, pages), await byCursor(product)]
    } finally {
      await Promise.all([product.close(), close()])
    }
  },
}
