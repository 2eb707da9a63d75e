import type { RowBulkActionResponse } from '../action-responses.ts'
import type { CellsOutcome, RowsOutcome } from '../change-outcomes.ts'
import { TableError } from '../table-error.ts'
import type { AnyTable } from '../table-types.ts'
import type { RowId } from '../wire.ts'
import { createUnsupported, type GridItem, toDay } from './grid-client.ts'

/** A table whose structure is loaded; its columns say which cells can be edited. */
export interface EditedTable {
  readonly tableName: string
  readonly columns: readonly { readonly data_src: string; readonly editable?: object }[]
}

export type Cells = Readonly<Record<string, unknown>>

interface EditOptions {
  readonly params?: unknown
  readonly include: readonly string[]
}

interface EditedRow {
  readonly id: RowId
  readonly _version?: string | undefined
}

/** The calls of a client of changes that adapters use, for tables whose types are unknown. */
interface GridChanges {
  updateCells(table: string, row: EditedRow, cells: Cells, options: EditOptions): Promise<CellsOutcome<AnyTable>>
  updateRows(
    table: string,
    rows: readonly EditedRow[],
    cells: Cells,
    options: EditOptions,
  ): Promise<RowsOutcome<AnyTable>>
}

/** A client of changes of any tables. */
export type AnyChanges = { readonly [Call in keyof GridChanges]: (...asked: never) => Promise<unknown> }

/** Drops the table types of a client of changes. */
export const gridChanges = (changes: AnyChanges): GridChanges => changes as unknown as GridChanges

/** Returns the schema of an editable column; `undefined` for any other. */
export const findSchema = ({ columns }: EditedTable, field: string | undefined): object | undefined =>
  columns.find(({ data_src }) => data_src === field)?.editable

/** Returns a value of a grid as its column takes it. Throws `createUnsupported` if the column cannot be edited. */
export function toCell(table: EditedTable, field: string, given: unknown): unknown {
  const schema = findSchema(table, field)
  if (schema === undefined) throw createUnsupported(`an edit of "${field}": the column cannot be edited`)
  const takes = listTypes(schema)
  const isText = takes.has('string')
  const isNumeric = takes.has('number') || takes.has('integer')
  // A text of spaces would be the number 0.
  const value = typeof given === 'string' && isNumeric && !isText ? given.trim() : given
  if (value === undefined || value === '') return isText && !takes.has('null') ? '' : null
  if (value instanceof Date) return 'format' in schema && schema.format === 'date' ? toDay(value) : value.toISOString()
  if (typeof value === 'number' && isText && !isNumeric) return String(value)
  if (typeof value === 'string' && isNumeric && !isText && Number.isFinite(Number(value))) return Number(value)
  return value
}

/** The types of a schema, also of one that is a choice of several. */
function listTypes({ type, anyOf = [] }: { readonly type?: unknown; readonly anyOf?: readonly object[] }) {
  const types: ReadonlySet<unknown> = new Set([type, ...anyOf.flatMap((one) => [...listTypes(one)])].flat())
  return types
}

/** The members of an item beside its cells. */
const isCell = (name: string): boolean => !['id', 'row', 'actions'].includes(name) && !name.startsWith('_')

/** Returns the cells in which a row differs from the row that the user has seen. */
export function toCells(table: EditedTable, before: object, after: object): Cells {
  const seen = new Map(Object.entries(before))
  const changed = Object.entries(after).filter(
    ([name, value]) => isCell(name) && !(seen.has(name) && isSame(seen.get(name), value)),
  )
  return Object.fromEntries(changed.map(([name, value]) => [name, toCell(table, name, value)]))
}

const isSame = (before: unknown, after: unknown): boolean =>
  Object.is(before, after) || JSON.stringify(before) === JSON.stringify(after)

/** Returns the parts that a row must have again after its change. */
export const findIncluded = (row: object): readonly string[] => ['version', 'raw'].filter((part) => `_${part}` in row)

/** Returns the changed row; `undefined` if it has left the table. Throws the error of a refusal. */
export function requireSaved(outcome: CellsOutcome<AnyTable>): GridItem | undefined {
  if (outcome.outcome === 'saved') return outcome.row
  throw outcome.error
}

/** Returns the changed rows. Throws an error if a row was not changed; its `response` has the `results`. */
export function requireAllSaved(outcome: RowsOutcome<AnyTable>): readonly GridItem[] {
  if (outcome.outcome === 'refused') throw outcome.error
  requireSuccess(outcome)
  return outcome.items
}

/** Throws an error if a row was not changed; its `response` has the `results`. */
export function requireSuccess({ message, results }: Pick<RowBulkActionResponse<AnyTable>, 'message' | 'results'>) {
  const failed = results.find(({ success }) => !success)
  if (failed !== undefined) throw new TableError(String(failed.code), message, { status: 422, response: { results } })
}
