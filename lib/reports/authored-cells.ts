import type { Statement } from '../db/statement.ts'
import { fieldText } from '../query/page-statement.ts'
import type { ReportField } from '../query/report-statement.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { AnyRow, RequestContext } from '../table/context.ts'
import type { Source } from '../table/source.ts'
import type { TableView } from '../table/view.ts'
import type { ReportRow } from './report-batches.ts'

/** The columns of a report that an author's functions fill, and what those functions want to know of each row. */
export interface AuthoredColumns {
  readonly columns: readonly CompiledColumn[]
  readonly fields: readonly ReportField[]
  /** The cells that the functions make of these rows, by column and row. `first` is the place of the fields in a row. */
  readonly cellsOf: (rows: readonly ReportRow[], first: number) => Promise<readonly (readonly unknown[])[]>
}

export function authoredColumns(
  columns: readonly CompiledColumn[],
  view: TableView,
  context: RequestContext,
): AuthoredColumns {
  const sources = columns.some(wantsRow)
    ? rowSources(view)
    : [...new Set(columns.flatMap(({ source }) => source ?? []))]
  const fields = sources.map((source) => ({
    source,
    text: (statement: Statement) => fieldText(statement, { source, datePattern: undefined }, context.timeZone),
  }))
  const cellsOf: AuthoredColumns['cellsOf'] = (rows, first) => {
    const whole: readonly AnyRow[] = rows.map((values) =>
      Object.fromEntries(sources.map(({ key, decode }, index) => [key, decode(values[first + index])])),
    )
    return Promise.all(columns.map((column) => columnCells(column, whole, context)))
  }
  return { columns, fields, cellsOf }
}

/** A format that declares no second parameter wants its value only. */
const wantsRow = ({ definition }: CompiledColumn): boolean =>
  !('format' in definition) || definition.format === undefined || definition.format.length > 1

/** Everything that a row holds for its author: the table's own attributes, and what the columns show. */
function rowSources({ table, columns }: TableView): readonly Source[] {
  const own = [...table.sources.values()].filter(({ join, kind }) => join === undefined && kind !== 'unknown')
  return [...new Set([...own, ...columns.flatMap(({ source }) => source ?? [])])]
}

async function columnCells(
  { key, definition }: CompiledColumn,
  rows: readonly AnyRow[],
  context: RequestContext,
): Promise<readonly unknown[]> {
  if ('load' in definition) return definition.load(rows, context)
  if ('value' in definition) return rows.map((row) => definition.value(row, context))
  const { format } = definition as {
    readonly format?: (value: unknown, row: AnyRow, context: RequestContext) => unknown
  }
  return rows.map((row) => format?.(row[key], row, context) ?? null)
}
