import assert from 'node:assert/strict'
import type { Sql } from 'postgres'
import { countSql, selectFirstPage } from '../by-hand.ts'
import { atLeast, type Bench, compareTimes, type Figure, type Question } from '../figure.ts'
import { openProduct, type Product } from '../opponents.ts'
import { limitClient } from '../practical-limit.ts'
import { interleave, measure, median, ratio } from '../rounds.ts'
import { countStatements } from '../statement-count.ts'

const rounds = 15
const roundsWithoutIndex = 3
/** The largest share of the flights that a searched word may match. */
const maxShare = 0.001

const matches = (column: string): string => `table_control.fold_text(${column}) like $1`

/** Two columns of the table, and one of a relation, by the indexes that the service uses. */
const where = `(${matches('f.origin')} or ${matches('f.destination')}
  or f.origin = any(array(select iata from airports a where ${matches('a.city')})))`

/**
 * The rows first: sorted and limited at once, the planner would walk the index of dates and fold every text on its way.
 */
const pageSql = selectFirstPage(`(select * from flights f where ${where} offset 0) f`)

/** A word of a city whose flights are as many as they may be, with how many they are. */
async function findWord(sql: Sql): Promise<{ readonly word: string; readonly total: number; readonly all: number }> {
  const [row] = await sql.unsafe(
    `with counted as (select origin, count(*) as n from flights group by 1), everything as (select sum(n) as n from counted)
     select lower(a.city) as word, c.n::int as total, e.n::int as all from counted c join airports a on a.iata = c.origin, everything e
     where c.n <= e.n * $1 and a.city ~ '^[A-Z][a-z]{4,}$'
       and (select count(*) from airports b where b.city ilike '%' || a.city || '%') = 1
       and not exists (select from airports b where b.iata ilike '%' || a.city || '%')
     order by c.n desc limit 1`,
    [maxShare],
  )
  if (row === undefined) throw new Error('no city has so few flights')
  return { word: row['word'], total: row['total'], all: row['all'] }
}

async function withoutIndexes(sql: Sql, product: Product, query: object, counted: ReturnType<typeof countStatements>) {
  counted.take()
  await product.call(query)
  const [statement] = counted.take().statements
  if (statement === undefined) throw new Error('a search sends a statement')
  return () =>
    measure(() =>
      sql.begin(async (transaction) => {
        await transaction`set local enable_bitmapscan = off`
        await transaction`set local enable_indexscan = off`
        await transaction`set local enable_indexonlyscan = off`
        await transaction.unsafe(statement.text, statement.parameters as (string | number)[])
      }),
    )
}

async function compare(bench: Bench): Promise<readonly Figure[]> {
  const counted = countStatements()
  const product = openProduct(bench, 1, counted)
  const sql = limitClient(bench.databaseUrl, 1)
  try {
    const { word, total, all } = await findWord(sql)
    bench.report(`"${word}"`)
    const query = { search: { q: word, columns: ['origin', 'destination', 'origin__city'] }, perPage: 20 }
    const callByHand = async () => {
      // Not prepared: a plan for any word would not use the indexes.
      const [rows, [count = []]] = await Promise.all([
        sql.unsafe(pageSql, [`%${word}%`]).values(),
        sql.unsafe(countSql(where), [`%${word}%`]).values(),
      ])
      return JSON.stringify({ items: rows, total: Number(count[0]) })
    }
    const own = JSON.parse(await product.call(query))
    const other = JSON.parse(await callByHand())
    assert.deepEqual(
      own.items.map(({ id }: { readonly id: number }) => id),
      other.items.map(([id]: readonly [number]) => id),
    )
    assert.deepEqual([own.pagination.total, other.total], [total, total])
    const samples = await interleave(rounds, {
      product: () => measure(() => product.call(query)),
      byHand: () => measure(callByHand),
    })
    bench.report('without indexes')
    const slow = await interleave(
      roundsWithoutIndex,
      {
        indexed: () => measure(() => product.call(query)),
        unindexed: await withoutIndexes(sql, product, query, counted),
      },
      0,
    )
    const gain = ratio(slow.unindexed, slow.indexed)
    return [
      compareTimes('beside the statements by hand on the same indexes', samples.product, ['by hand', samples.byHand], {
        most: 3,
        more: `; ${total} of ${all} rows`,
      }),
      atLeast(
        'beside its own statement without indexes',
        gain,
        50,
        `${gain.toFixed(0)} x (${median(slow.unindexed).toFixed(0)} ms without)`,
        ' x',
      ),
    ]
  } finally {
    await Promise.all([product.close(), sql.end({ timeout: 1 })])
  }
}

/** Compares searches with statements by hand, and with reading every row. */
export const search: Question = {
  id: 'search',
  asks: 'What does a search over two columns and a relation cost beside statements by hand, and what do its indexes save?',
  method: `query-table of flights in process on one connection, with page and exact total, for a word that at most 0.1 % of the flights match; by hand: a page and a count statement, pipelined, on the same indexes, with the same rows and total, which each run asserts. ${rounds} rounds, alternating, and ${roundsWithoutIndex} without indexes.`,
  measure: compare,
}
