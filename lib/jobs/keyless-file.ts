import { importError } from '../errors/import-error.ts'
import { translate } from '../i18n/language.ts'
import type { SentFile } from '../reports/file-rows.ts'
import { listEditableColumns } from '../table/editable-columns.ts'
import type { OpenedTarget } from './job.ts'
import { type OpenedFile, openSheet, refuseFile } from './open-sheet.ts'

/**
 * Opens a CSV file whose rows are named by the unique column that the table declares for it. Throws the reason why a file without
 * tokens is refused.
 */
export async function openKeylessFile(file: SentFile, { view, context }: OpenedTarget): Promise<OpenedFile> {
  if (file.kind !== 'csv') throw refuseFile('noKeys')
  const { matchImportsBy } = view.table.definition
  const matched = view.columns.find(({ key }) => key === matchImportsBy)
  if (matched === undefined) throw noUniqueColumn()
  const { language, timeZone } = context
  const editable = listEditableColumns(view)
  const named = view.columns
    .filter(({ type }) => type !== 'actions')
    .map(({ key, definition: { label } }) => ({
      ...{ key, label: translate(label, language) },
      isEditable: editable.has(key) && key !== matched.key,
    }))
  const label = translate(matched.definition.label, language)
  const ignored = new Set<string>()
  const [sheet] = file.sheets
  const opened = sheet && (await openSheet(sheet, named, (header) => header === label, ignored))
  if (opened === undefined) throw noMatchedColumn(label)
  return {
    ...{ kind: file.kind, sheets: [opened], ignored: [...ignored], language, timeZone, isFrom1904: false },
    ...{ file: undefined, matchedBy: matched.key },
    exported: named.filter(({ isEditable }) => isEditable).map(({ key }) => key),
  }
}

const noUniqueColumn = () =>
  importError('import_refused', {
    en: 'a CSV file has no hidden cells that tell which row is which, and this table has no unique column that may tell it; export the rows as an Excel file for editing, edit that file and send it',
    ar: 'لا يحتوي ملف CSV على خلايا مخفية تحدد الصفوف، وليس في هذا الجدول عمود فريد يحددها؛ صدّر الصفوف إلى ملف Excel مخصص للتعديل، ثم عدّل ذلك الملف وأرسله',
  })

const noMatchedColumn = (label: string) =>
  importError('import_refused', {
    en: `it has no column "${label}", by which rows are found; export it again and keep this column`,
    ar: `ليس فيه العمود «${label}» الذي تُعرف به الصفوف؛ صدّره من جديد وأبقِ هذا العمود`,
  })
