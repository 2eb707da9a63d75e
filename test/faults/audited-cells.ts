import type { Sql } from 'postgres'
import { expect } from 'vitest'

/** The cells of orders as texts, by their keys and columns. */
export type OrderCells = ReadonlyMap<string, Readonly<Record<string, string | null>>>

export async function readCells(sql: Sql): Promise<OrderCells> {
  const rows =
    await sql`select id::text as key, tenant, title, state, runs::text, flagged::text, amount::text from orders order by id`
  return new Map(rows.map(({ key, ...cells }) => [String(key), cells]))
}

/**
 * Asserts that the audited changes, made again to the rows of `before`, give the present rows without a gap between two
 * changes of a cell. Each change must have one entry of success, and be undone at most once.
 */
export async function expectAuditTellsRows(sql: Sql, before: OrderCells): Promise<void> {
  const replayed = new Map([...before].map(([key, cells]) => [key, { ...cells }]))
  const gaps: unknown[] = []
  for (const { row_key, cells } of await sql`select row_key, cells from table_control.cell_changes order by id`) {
    const row = replayed.get(String(row_key)) ?? {}
    for (const [field, change] of Object.entries(
      cells as Readonly<Record<string, { before?: string; after?: string }>>,
    )) {
      // The values of sensitive columns are not in the audit.
      if (change.before === undefined && change.after === undefined) continue
      if (row[field] !== change.before) gaps.push([row_key, field, row[field], change])
      row[field] = change.after ?? null
    }
  }
  expect(gaps).toEqual([])
  expect(Object.fromEntries(replayed)).toEqual(Object.fromEntries(await readCells(sql)))
  expect(await sql.unsafe(unaudited)).toEqual([])
  expect(await sql.unsafe(undoneTwice)).toEqual([])
  expect(await sql.unsafe(strayOffers)).toEqual([])
}

/** Changes without exactly one entry of success, or with more rows than that says, or with a row twice. */
const unaudited = `select change, array_agg(distinct request_id) as requests, count(*) as changed,
    (select array_agg(rows) from table_control.audit where outcome = 'succeeded' and request_id = min(cell_changes.request_id)) as audited
  from table_control.cell_changes group by change
  having count(distinct request_id) <> 1 or count(distinct row_key) <> count(*)
    or (select count(*) <> 1 or sum(rows) < count(distinct cell_changes.row_key) from table_control.audit
      where outcome = 'succeeded' and request_id = min(cell_changes.request_id))`

/** Changes that two others undo, or that are undone without being marked so. */
const undoneTwice = `select undoes, count(distinct change) as times from table_control.cell_changes where undoes is not null
  group by undoes having count(distinct change) <> 1
    or not exists (select from table_control.undos where id = undoes and undone_at is not null)`

/** Offers to undo a change that was not made. */
const strayOffers = `select id from table_control.undos where action = 'update_cells'
  and not exists (select from table_control.cell_changes where change = undos.id)`
