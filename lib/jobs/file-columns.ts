import { importError } from '../errors/import-error.ts'
import { translate } from '../i18n/language.ts'
import type { SentFile } from '../reports/file-rows.ts'
import { type Manifest, nameFile, readManifest, roundTripName } from '../reports/row-token.ts'
import { listEditableColumns } from '../table/editable-columns.ts'
import type { OpenedTarget } from './job.ts'
import { type OpenedFile, type OpenedSheet, openSheet, refuseFile } from './open-sheet.ts'

/** Opens the sheets of a file that have rows of the table. Throws the reason why the file is refused. */
export async function openFileColumns(file: SentFile, target: OpenedTarget, secret: string): Promise<OpenedFile> {
  const sealed = await readSealedManifest(file)
  if (sealed === undefined) return openKeylessFile(file, target)
  const manifest = readManifest(secret, sealed)
  if (manifest === undefined) throw refuseFile('altered')
  assertOwn(manifest, target)
  const ignored = new Set<string>()
  const sheets: OpenedSheet[] = []
  for (const sheet of file.sheets.filter(({ name }) => name !== roundTripName)) {
    const opened = await openSheet(sheet, manifest.columns, (header) => header === roundTripName, ignored)
    if (opened !== undefined) sheets.push(opened)
  }
  if (sheets.length === 0) throw refuseFile('noKeys')
  const { language, timeZone, columns } = manifest
  return {
    ...{ kind: file.kind, sheets, ignored: [...ignored], language, timeZone, isFrom1904: file.isFrom1904 },
    ...{ file: nameFile(sealed), matchedBy: undefined },
    exported: columns.filter(({ isEditable }) => isEditable).map(({ key }) => key),
  }
}

function assertOwn({ table, subject, guard }: Manifest, { view, context }: OpenedTarget): void {
  if (table !== view.table.name) throw refuseFile('otherTable')
  if (guard !== context.guard) throw refuseFile('otherGuard')
  if (subject !== context.identity.subject) throw refuseFile('otherCaller')
}

const maxManifestCells = 100

async function readSealedManifest({ sheets }: SentFile): Promise<string | undefined> {
  const sheet = sheets.find(({ name }) => name === roundTripName)
  if (sheet === undefined) return undefined
  let text = ''
  let count = 0
  for await (const { cells } of sheet.rows()) {
    text += String(cells.get(0)?.value ?? '')
    count += 1
    if (count > maxManifestCells) break
  }
  return text
}

/**
 * Opens a CSV file whose rows are named by the unique column that the table declares for it. Throws the reason why a file without
 * tokens is refused.
 */
async function openKeylessFile(file: SentFile, { view, context }: OpenedTarget): Promise<OpenedFile> {
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
