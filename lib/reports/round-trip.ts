import type { ReportField } from '../query/report-statement.ts'
import { createVersionWriter, versionSource } from '../rows/row-version.ts'
import { listEditableColumns } from '../table/editable-columns.ts'
import { exportedText } from './exported-value.ts'
import type { ReportCell, ReportColumn } from './report-column.ts'
import type { ReportPlan } from './report-plan.ts'
import { type ExportedValue, nameFile, shownDigest, writeManifest, writeRowToken } from './row-token.ts'

/** The parts of a report by which its workbook can be sent back. */
export interface RoundTrip {
  /** The values that the tokens hold, read for each row. */
  readonly fields: readonly ReportField[]
  readonly manifest: string
  /** Returns the token of a row whose fields begin at the place `first`. */
  readonly token: (values: readonly unknown[], first: number, cells: readonly ReportCell[]) => string
}

/** Creates the round trip of a report; rows have no versions in views. */
export function createRoundTrip(
  { view, context }: ReportPlan,
  columns: readonly ReportColumn[],
  { secret, hasVersions }: { readonly secret: string; readonly hasVersions: boolean },
): RoundTrip {
  const editable = listEditableColumns(view)
  const { table } = view
  const manifest = writeManifest(secret, {
    ...{ table: table.name, subject: context.identity.subject, guard: context.guard },
    ...{ language: context.language, timeZone: context.timeZone },
    columns: columns.map(({ column: { key }, label }) => ({ key, label, isEditable: editable.has(key) })),
  })
  const file = nameFile(manifest)
  const version = versionSource(table)
  const writeVersion = createVersionWriter(secret, table, [])
  const sources = columns.flatMap(({ column: { key, source } }) =>
    editable.has(key) && source !== undefined ? [source] : [],
  )
  return {
    fields: [
      { source: table.key, text: (statement) => `${table.key.expression(statement)}::text` },
      ...(hasVersions ? [{ source: version, text: version.expression }] : []),
      ...sources.map((source): ReportField => ({ source, text: (statement) => exportedText(source, statement) })),
    ],
    manifest,
    token: (values, first, cells) => {
      const key = String(values[first])
      const at = first + (hasVersions ? 2 : 1)
      return writeRowToken(secret, {
        ...{ file, key },
        version: hasVersions ? writeVersion(key, values[first + 1], []) : null,
        values: sources.map((_, index) => (values[at + index] ?? null) as ExportedValue),
        shown: cells.map((cell) => shownDigest(typeof cell === 'object' ? (cell?.text ?? null) : cell)).join(''),
      })
    },
  }
}
