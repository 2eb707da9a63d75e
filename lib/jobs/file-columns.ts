import type { ActionTarget } from '../actions/action-rows.ts'
import { importError } from '../errors/import-error.ts'
import { type Bilingual, type Language, languages, translate } from '../i18n/language.ts'
import type { FileRow, FileSheet, SentFile } from '../reports/file-rows.ts'
import { type Manifest, nameFile, readManifest } from '../reports/row-token.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import { listEditableColumns } from '../table/editable-columns.ts'
import { headerText, roundTripName } from '../table/file-header.ts'
import { presentColumnNames } from '../table/former-names.ts'
import type { TableView } from '../table/view.ts'

/** Opens the sheets of a file that have rows of the table. Throws the reason why the file is refused. */
export async function openFileColumns(file: SentFile, target: ActionTarget, secret: string): Promise<OpenedFile> {
  const sealed = await readSealedManifest(file)
  if (sealed === undefined) return openKeylessFile(file, target)
  const manifest = readManifest(secret, sealed)
  if (manifest === undefined) throw refuseFile('altered')
  assertOwn(manifest, target)
  const ignored = new Set<string>()
  const sheets: OpenedSheet[] = []
  const present = presentColumnNames(target.view.columns)
  const columns = manifest.columns.map((column) => ({ ...column, key: present.get(column.key) ?? column.key }))
  for (const sheet of file.sheets.filter(({ name }) => name !== roundTripName)) {
    const opened = await openSheet(await readHeader(sheet), columns, roundTripName, ignored)
    if (opened !== undefined) sheets.push(opened)
  }
  if (sheets.length === 0) throw refuseFile('noKeys')
  const { language, timeZone } = manifest
  return {
    kind: file.kind,
    sheets,
    ignored: [...ignored],
    language,
    timeZone,
    isFrom1904: file.isFrom1904,
    file: nameFile(sealed),
    matchedBy: undefined,
    exported: columns.filter(({ isEditable }) => isEditable).map(({ key }) => key),
  }
}

function assertOwn({ table, subject, guard }: Manifest, { view, context }: ActionTarget): void {
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
 * Opens a CSV file whose rows are named by the unique column that the table declares for it. Throws the reason why a
 * file without tokens is refused.
 */
async function openKeylessFile({ kind, sheets }: SentFile, { view, context }: ActionTarget): Promise<OpenedFile> {
  const [sheet] = sheets
  if (kind !== 'csv' || sheet === undefined) throw refuseFile('noManifest')
  const { matchImportsBy } = view.table.definition
  const matched = view.columns.find(({ key }) => key === matchImportsBy)
  if (matched === undefined) throw noUniqueColumn()
  const header = await readHeader(sheet)
  const form = [context.language, ...languages]
    .map((language) => nameColumns(view, matched, language))
    .reduce((best, one) => (countNamed(header, one) > countNamed(header, best) ? one : best))
  const ignored = new Set<string>()
  const opened = await openSheet(header, form.named, form.label, ignored)
  if (opened === undefined) throw noMatchedColumn(form.label)
  return {
    kind,
    sheets: [opened],
    ignored: [...ignored],
    language: form.language,
    timeZone: context.timeZone,
    isFrom1904: false,
    file: undefined,
    matchedBy: matched.key,
    exported: form.named.filter(({ isEditable }) => isEditable).map(({ key }) => key),
  }
}

/** The columns of a CSV file in one language. */
interface NamedColumns {
  readonly language: Language
  /** The header of the column that names the rows. */
  readonly label: string
  readonly named: readonly NamedColumn[]
}

function nameColumns(view: TableView, matched: CompiledColumn, language: Language): NamedColumns {
  const editable = listEditableColumns(view)
  const named = view.columns
    .filter(({ type }) => type !== 'actions')
    .map(({ key, definition: { label } }) => ({
      key,
      label: headerText(translate(label, language)),
      isEditable: editable.has(key) && key !== matched.key,
    }))
  return { language, label: headerText(translate(matched.definition.label, language)), named }
}

/** Returns how many cells of a header are labels of columns; 0 for a header without the column that names the rows. */
function countNamed({ cells }: SheetHeader, { label, named }: NamedColumns): number {
  const labels = new Set(named.map((column) => column.label))
  return cells.some(([, text]) => text === label) ? cells.filter(([, text]) => labels.has(text)).length : 0
}

const noUniqueColumn = () =>
  importError('import_refused', {
    en: 'a CSV file has no hidden cells that tell which row is which, and this table has no unique column that may tell it; export the rows as an Excel file for editing, edit that file and send it',
    ar: 'لا يحتوي ملف CSV على خلايا مخفية تحدد الصفوف، وليس في هذا الجدول عمود فريد يحددها؛ صدّر الصفوف إلى ملف Excel مخصص للتعديل، ثم عدّل ذلك الملف وأرسله',
  })

const noMatchedColumn = (label: string) =>
  importError('import_refused', {
    en: `its first line has no column "${label}", by which rows are found; remove the lines above the header, or export it again and keep this column`,
    ar: `ليس في سطره الأول العمود «${label}» الذي تُعرف به الصفوف؛ احذف الأسطر التي فوق العناوين، أو صدّره من جديد وأبقِ هذا العمود`,
  })

/** A column of the table at its place in a sheet. */
export interface FileColumn {
  readonly key: string
  /** Its place in the sheet. */
  readonly place: number
  /** Its place in the manifest. */
  readonly index: number
  readonly isEditable: boolean
}

/** A sheet of rows whose header was read. */
export interface OpenedSheet {
  readonly sheet: FileSheet
  readonly columns: readonly FileColumn[]
  /** The number of cells that a row may have. */
  readonly width: number
  /** The place of the cells that name the rows: by tokens, or by the values of a unique column. */
  readonly keyPlace: number
  /** The rows below the header. */
  readonly rows: AsyncIterable<FileRow>
}

/** A file whose columns are known. */
export interface OpenedFile {
  readonly kind: SentFile['kind']
  readonly sheets: readonly OpenedSheet[]
  /** The headers that no column of the table has. */
  readonly ignored: readonly string[]
  readonly language: Language
  readonly timeZone: string
  readonly isFrom1904: boolean
  /** The name that tokens of this file have; absent where a unique column names the rows. */
  readonly file: string | undefined
  /** The unique column that names the rows. */
  readonly matchedBy: string | undefined
  /** The editable columns of the manifest, in its order. */
  readonly exported: readonly string[]
}

const reasons = {
  altered: {
    en: 'its hidden sheet "table_control" was altered; export the rows again',
    ar: 'عُدّلت ورقته المخفية "table_control"؛ صدّر الصفوف من جديد',
  },
  noManifest: {
    en: 'its hidden sheet "table_control" is missing, which describes the columns; export the rows again as an Excel file for editing and keep this sheet',
    ar: 'ورقته المخفية "table_control" التي تصف الأعمدة مفقودة؛ صدّر الصفوف من جديد إلى ملف Excel مخصص للتعديل وأبقِ هذه الورقة',
  },
  noKeys: {
    en: 'its first row has no header of the hidden last column "table_control", which names the rows; remove the rows above the headers, or export the rows again and keep this column',
    ar: 'ليس في صفه الأول عنوان العمود الأخير المخفي "table_control" الذي يحدد الصفوف؛ احذف الصفوف التي فوق العناوين، أو صدّر الصفوف من جديد وأبقِ هذا العمود',
  },
  otherTable: {
    en: 'it was exported from another table; open that table and send the file there',
    ar: 'صُدّر من جدول آخر؛ افتح ذلك الجدول وأرسل الملف هناك',
  },
  otherGuard: {
    en: 'it was exported by another guard of the service; export the rows again where you send the file back',
    ar: 'صُدّر عبر مسار آخر للخدمة؛ صدّر الصفوف من جديد حيث تعيد إرسال الملف',
  },
  otherCaller: {
    en: 'another user exported it; export the rows yourself and edit that file',
    ar: 'صدّره مستخدم آخر؛ صدّر الصفوف بنفسك وعدّل ذلك الملف',
  },
} as const satisfies Readonly<Record<string, Bilingual>>

/** Creates the error of a file that is refused as a whole. */
const refuseFile = (reason: keyof typeof reasons) => importError('import_refused', reasons[reason])

/** A column that a header can name. */
interface NamedColumn {
  readonly key: string
  readonly label: string
  readonly isEditable: boolean
}

/** The header of a sheet, whose rows below it are not read yet. */
interface SheetHeader {
  readonly sheet: FileSheet
  readonly cells: readonly (readonly [place: number, text: string])[]
  readonly width: number | undefined
  readonly rows: AsyncIterator<FileRow>
}

/** Reads the first row that is not empty. */
async function readHeader(sheet: FileSheet): Promise<SheetHeader> {
  const rows = sheet.rows()[Symbol.asyncIterator]()
  let first = await rows.next()
  while (first.done !== true && first.value.cells.size === 0) first = await rows.next()
  const { cells, width }: Pick<FileRow, 'cells' | 'width'> = first.done === true ? { cells: new Map() } : first.value
  const texts = [...cells].map(([place, { value }]) => [place, headerText(String(value))] as const)
  return { sheet, cells: texts, width, rows }
}

/** Finds the columns of a sheet; `undefined` for a sheet without the column `rowNames`, such as a summary. */
async function openSheet(
  { sheet, cells, width = Number.POSITIVE_INFINITY, rows }: SheetHeader,
  named: readonly NamedColumn[],
  rowNames: string,
  ignored: Set<string>,
): Promise<OpenedSheet | undefined> {
  const counts = new Map<string, number>()
  for (const [, header] of cells) counts.set(header, (counts.get(header) ?? 0) + 1)
  const keys = cells.filter(([, header]) => header === rowNames)
  const [key] = keys
  if (key === undefined) {
    await rows.return?.()
    return undefined
  }
  if (keys.length > 1) throw refuseColumn(key[1])
  const columns = cells.flatMap(([place, header]): readonly FileColumn[] => {
    const meant = named.flatMap(({ label }, index) => (headerText(label) === header ? [index] : []))
    const [index] = meant
    if (index === undefined) {
      if (place !== key[0] && ignored.size < maxIgnored) ignored.add(readableHeader(header))
      return []
    }
    const isRepeated = meant.length > 1 || (counts.get(header) ?? 0) > 1
    const column = named[index]
    if (isRepeated && meant.some((one) => named[one]?.isEditable)) throw refuseColumn(header)
    return column === undefined || isRepeated ? [] : [{ key: column.key, place, index, isEditable: column.isEditable }]
  })
  return { sheet, columns, width, keyPlace: key[0], rows: { [Symbol.asyncIterator]: () => rows } }
}

const maxHeaderLength = 100
const maxIgnored = 100

/** Shortens a header or the name of a sheet to what can be stored: Postgres keeps neither NUL nor half a character. */
export const readableHeader = (header: string): string =>
  header.replaceAll('\0', '').slice(0, maxHeaderLength).toWellFormed()

const refuseColumn = (label: string) =>
  importError('import_refused', {
    en: `several of its columns are called "${label.slice(0, maxHeaderLength)}"; keep one of them`,
    ar: `فيه أكثر من عمود باسم «${label.slice(0, maxHeaderLength)}»؛ أبقِ واحدًا منها`,
  })
