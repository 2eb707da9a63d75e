import { is } from 'drizzle-orm'
import { PgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { parse } from 'postgres-array'
import type { DriverRows } from './driver-client.ts'

type ReadEntry = (text: string) => unknown

/** The lists of Postgres' own types. Those of enums stay texts, as only the database knows their numbers. */
const entryByType: ReadonlyMap<number, ReadEntry> = new Map<number, ReadEntry>([
  [1000, (text) => text === 't'],
  [1001, (text) => Buffer.from(text.slice(2), 'hex')],
  ...[1005, 1007, 1021, 1022, 1028].map((type) => [type, Number] as const),
  ...[199, 3807].map((type) => [type, JSON.parse] as const),
  ...[651, 1003, 1009, 1014, 1015, 1016, 1041, 1115, 1182, 1183, 1185, 1187, 1231, 1270, 1561, 1563, 2951].map(
    (type) => [type, String] as const,
  ),
])

/** Replaces the texts of lists in rows by their entries. The driver leaves them as the server wrote them. */
export function readLists(rows: DriverRows): DriverRows {
  const { columns } = rows as { readonly columns?: readonly { readonly name: string; readonly type: number }[] | null }
  for (const [place, { name, type }] of (columns ?? []).entries()) {
    const readEntry = entryByType.get(type)
    if (readEntry === undefined) continue
    for (const row of rows as readonly Record<string | number, unknown>[]) {
      const key = Array.isArray(row) ? place : name
      const text = row[key]
      if (typeof text === 'string') row[key] = parse(text, readEntry)
    }
  }
  return rows
}

/** Returns a column whose lists may lack entries, which drizzle takes for texts. Other columns stay as they are. */
export const withMissingEntries = <T>(column: T): T =>
  is(column, PgArray)
    ? Object.create(column, { mapFromDriverValue: { value: (value: unknown) => decodeList(column, value) } })
    : column

function decodeList({ baseColumn }: { readonly baseColumn: unknown }, value: unknown): readonly unknown[] {
  const column = baseColumn as PgColumn
  const entries = typeof value === 'string' ? parse(value) : (value as readonly unknown[])
  return entries.map((entry) => {
    if (entry === null) return null
    return is(column, PgArray) ? decodeList(column, entry) : column.mapFromDriverValue(entry)
  })
}
