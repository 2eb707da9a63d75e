import type { Run } from '../db/transaction.ts'
import type { Language } from '../i18n/language.ts'
import { onlyKeys } from '../query/keys-statement.ts'
import { planRows } from '../query/plan.ts'
import { type ReportField, reportStatement } from '../query/report-statement.ts'
import { withoutEscape } from '../reports/read-csv.ts'
import { createReportColumns } from '../reports/report.ts'
import type { EditableColumn } from '../table/editable-columns.ts'
import type { OpenedTable } from '../table/open-table.ts'

/** The texts of a row's cells by the keys of their columns. */
export type ShownCells = ReadonlyMap<string, string>

/** Reads the cells that a CSV export in this language would write now, as an import reads them back. */
export async function readShownCells(
  run: Run,
  opened: OpenedTable,
  keys: readonly string[],
  columns: readonly EditableColumn[],
  language: Language,
): Promise<ReadonlyMap<string, ShownCells>> {
  if (keys.length === 0) return new Map()
  const { view, context } = opened
  const { key: tableKey } = view.table
  const chosen = view.columns.filter(({ key }) => columns.some((column) => column.key === key))
  const written = await createReportColumns(chosen, 'csv', { ...context, language }, tableKey)
  const fields: readonly ReportField[] = [
    { source: tableKey, text: (statement) => `${tableKey.expression(statement)}::text` },
    ...written.flatMap(({ field }) => field ?? []),
  ]
  const plan = onlyKeys(view, planRows(view, {}, context.timeZone), keys)
  const { text, parameters } = reportStatement(opened, plan, fields, 'values')
  const rows = await run(text, parameters)
  return new Map(
    rows.map(([key, ...values]) => [
      String(key),
      new Map(
        written.map(({ column, read }, index) => {
          const cell = read === undefined ? values[index] : read(values[index])
          return [column.key, withoutEscape(String(cell ?? ''))] as const
        }),
      ),
    ]),
  )
}
