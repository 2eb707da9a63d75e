import type { Transaction } from '../db/transaction.ts'
import { sourceText } from '../query/compare.ts'
import { onlyKeys } from '../query/keys-statement.ts'
import { planRows } from '../query/plan.ts'
import { type ReportField, reportStatement } from '../query/report-statement.ts'
import { exportedText } from '../reports/exported-value.ts'
import { createVersionWriter, versionSource } from '../rows/row-version.ts'
import type { EditableColumn } from '../table/editable-columns.ts'
import type { OpenedTable } from '../table/open-table.ts'

/** The present values of a row, as exports write them. */
export interface RowValues {
  readonly version: string | null
  /** The texts by the keys of columns. */
  readonly texts: ReadonlyMap<string, string | null>
}

/**
 * Reads columns of the rows with these keys that are inside the scope; `secret` is absent where rows have no versions.
 */
export async function readRowValues(
  { run }: Pick<Transaction, 'run'>,
  opened: OpenedTable,
  keys: readonly string[],
  columns: readonly Pick<EditableColumn, 'key' | 'source'>[],
  secret: string | undefined,
): Promise<ReadonlyMap<string, RowValues>> {
  if (keys.length === 0) return new Map()
  const { view, context } = opened
  const { table } = view
  const version = versionSource(table)
  const plan = onlyKeys(view, planRows(view, {}, context.timeZone), keys)
  const fields: readonly ReportField[] = [
    { source: table.key, text: (statement) => sourceText(table.key, statement) },
    ...(secret === undefined ? [] : [{ source: version, text: version.expression }]),
    ...columns.map(({ source }) => ({
      source,
      text: (statement: Parameters<ReportField['text']>[0]) => exportedText(source, statement),
    })),
  ]
  const { text, parameters } = reportStatement(opened, plan, fields, 'values')
  const writeVersion = secret === undefined ? undefined : createVersionWriter(secret, table, [])
  const first = secret === undefined ? 1 : 2
  const rows = await run(text, parameters)
  return new Map(
    rows.map((values) => {
      const key = String(values[0])
      const texts = columns.map(
        ({ key: name }, index) => [name, (values[first + index] ?? null) as string | null] as const,
      )
      return [key, { version: writeVersion?.(key, values[1], []) ?? null, texts: new Map(texts) }]
    }),
  )
}
