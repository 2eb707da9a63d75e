import { posix } from 'node:path'
import { importError } from '../errors/import-error.ts'
import type { FileCell, FileRow, FileSheet, MergedRange, SentFile } from './file-rows.ts'
import { type NumberStyles, readNumberStyles } from './number-styles.ts'
import { drain, maxTagDistance, type PartHandlers, parsePart } from './parse-part.ts'
import { decodeEscapes } from './row-token.ts'
import { daysTo1904, excelSerial } from './spreadsheet-values.ts'
import { type Archive, openArchive, unreadable } from './unpack-file.ts'

const maxSharedCharacters = 64 * 1_024 * 1_024
const maxTextLength = 32_767
const maxColumns = 16_384
/** The maximum number of merged ranges in a sheet: each changed cell is compared with each range. */
const maxMerged = 1_000
/** The most characters of the parts that list the sheets, whose names are kept. */
const maxOutlineCharacters = 8 * 1_024 * 1_024

/**
 * Opens a workbook, whose sheets are read row by row. Throws `import_unreadable` for any other file and
 * `import_too_large` for one that unpacks to too much. Throws `import_refused` for macros, links to other files and two
 * sheets with the same name, and the reason of an aborted `signal`, also while rows are read.
 */
export async function readWorkbook(bytes: Buffer, signal: AbortSignal): Promise<SentFile> {
  const archive = await openArchive(bytes, signal)
  assertHarmless(archive.names)
  const types = await readText(archive, '[Content_Types].xml')
  if (/macroEnabled\.main\+xml/i.test(types)) throw refusal('macros')
  const { sheets, sharedStrings, styles, isFrom1904 } = await readOutline(archive)
  const cells: CellParts = {
    shared: sharedStrings === undefined ? [] : await readSharedStrings(archive, sharedStrings),
    ...(await readNumberStyles(archive, styles)),
    isFrom1904,
  }
  return { kind: 'excel', isFrom1904, sheets: sheets.map(({ name, part }) => openSheet(archive, name, part, cells)) }
}

/** The parts of a workbook to which its cells refer by numbers. */
interface CellParts extends NumberStyles {
  readonly shared: readonly string[]
  /** Whether numbers of days begin in 1904. */
  readonly isFrom1904: boolean
}

const reasons = {
  macros: {
    en: 'it has macros; save it as .xlsx and send it again',
    ar: 'يحتوي على وحدات ماكرو؛ احفظه بصيغة ‎.xlsx وأعد إرساله',
  },
  links: {
    en: 'it refers to other files; replace these links by their values and send it again',
    ar: 'يشير إلى ملفات أخرى؛ استبدل هذه الروابط بقيمها وأعد إرساله',
  },
  merged: {
    en: 'one of its sheets has more than 1,000 merged ranges; split the merged cells and send it again',
    ar: 'في إحدى أوراقه أكثر من 1,000 نطاق من الخلايا المدمجة؛ افصل الخلايا المدمجة وأعد إرساله',
  },
} as const

const maxNameLength = 100

function repeatedName(name: string) {
  const shown = name.slice(0, maxNameLength).toWellFormed()
  return importError('import_refused', {
    en: `several of its sheets are called "${shown}"; rename all but one of them and send it again`,
    ar: `فيه أكثر من ورقة باسم «${shown}»؛ غيّر أسماءها إلا واحدة وأعد إرساله`,
  })
}

const refusal = (reason: keyof typeof reasons) => importError('import_refused', reasons[reason])

function assertHarmless(names: readonly string[]): void {
  if (names.some((name) => /vbaProject|macrosheets\//i.test(name))) throw refusal('macros')
  if (names.some((name) => /externalLinks\//i.test(name))) throw refusal('links')
}

async function readText(archive: Archive, name: string): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of archive.read(name)) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxTagDistance) throw unreadable(undefined)
  }
  return text
}

interface Outline {
  readonly sheets: readonly { readonly name: string; readonly part: string }[]
  readonly sharedStrings: string | undefined
  readonly styles: string | undefined
  readonly isFrom1904: boolean
}

const readOutlinePart = (archive: Archive, part: string, open: NonNullable<PartHandlers['open']>) =>
  drain(parsePart(archive, part, { open }, maxOutlineCharacters))

/** Reads which parts a part refers to, by their ids and by their kinds. The archive itself is the part without a name. */
async function readRelationships(archive: Archive, part: string) {
  const folder = posix.dirname(part)
  const ids = new Map<string, string>()
  const kinds = new Map<string, string>()
  await readOutlinePart(archive, posix.join(folder, '_rels', `${posix.basename(part)}.rels`), (tag, attributes) => {
    const { Id = '', Target = '', Type = '' } = attributes
    // Their parts may have any names.
    if (/\/externalLink$/.test(Type)) throw refusal('links')
    if (/\/(vbaProject|xl\w*Macrosheet)$/.test(Type)) throw refusal('macros')
    if (tag !== 'Relationship') return
    const target = posix.resolve('/', folder, Target).slice(1)
    ids.set(Id, target)
    if (archive.names.includes(target)) kinds.set(posix.basename(Type), target)
  })
  return { ids, kinds }
}

async function readOutline(archive: Archive): Promise<Outline> {
  const listed: { name: string; id: string }[] = []
  let isFrom1904 = false
  // Some programs number each part anew, the workbook as well.
  const workbook = (await readRelationships(archive, '')).kinds.get('officeDocument')
  if (workbook === undefined) throw unreadable(undefined)
  await readOutlinePart(archive, workbook, (tag, attributes) => {
    if (tag === 'workbookPr') isFrom1904 = /^(1|true)$/.test(attributes['date1904'] ?? '')
    const id = Object.entries(attributes).find(([key]) => /:id$/.test(key))?.[1]
    if (tag === 'sheet') listed.push({ name: attributes['name'] ?? '', id: id ?? '' })
  })
  const { ids, kinds } = await readRelationships(archive, workbook)
  const names = new Set<string>()
  for (const { name } of listed) {
    // Spreadsheet programs compare the names of sheets without case.
    if (names.has(name.toLowerCase())) throw repeatedName(name)
    names.add(name.toLowerCase())
  }
  const sheets = listed.map(({ name, id }) => ({ name, part: ids.get(id) ?? '' }))
  const listedParts = new Set(sheets.map(({ part }) => part))
  const isMissing = (part: string) => !archive.names.includes(part)
  // A part that is several sheets would be read for each of them.
  if (sheets.length === 0 || listedParts.size < sheets.length || [...listedParts].some(isMissing))
    throw unreadable(undefined)
  return { sheets, sharedStrings: kinds.get('sharedStrings'), styles: kinds.get('styles'), isFrom1904 }
}

async function readSharedStrings(archive: Archive, part: string): Promise<readonly string[]> {
  const texts: string[] = []
  let text = ''
  let characters = 0
  let isText = false
  let isPhonetic = false
  const handlers: PartHandlers = {
    open: (tag) => {
      if (tag === 'si') text = ''
      if (tag === 'rPh') isPhonetic = true
      isText = tag === 't' && !isPhonetic
    },
    text: (written) => {
      if (isText) text += written
      // Many cells may hold it, each as a value of its own.
      if (text.length > 4 * maxTextLength) throw unreadable(undefined)
    },
    close: (tag) => {
      isText = false
      if (tag === 'rPh') isPhonetic = false
      if (tag !== 'si') return
      // An empty text takes memory as well.
      characters += text.length + 16
      texts.push(decodeEscapes(text))
      if (characters > maxSharedCharacters) throw unreadable(undefined)
    },
  }
  await drain(parsePart(archive, part, handlers))
  return texts
}

function openSheet(archive: Archive, name: string, part: string, parts: CellParts): FileSheet {
  const merged: MergedRange[] = []
  return { name, merged, rows: () => readRows(archive, part, parts, merged) }
}

async function* readRows(
  archive: Archive,
  part: string,
  parts: CellParts,
  merged: MergedRange[],
): AsyncGenerator<FileRow> {
  const reader = createRowReader(parts, merged)
  for await (const _ of parsePart(archive, part, reader)) yield* reader.takeRows()
}

/** Creates the handlers of a sheet's XML, which collect its rows. */
function createRowReader(parts: CellParts, merged: MergedRange[]) {
  let rows: FileRow[] = []
  let row: { number: number; isHidden: boolean; cells: Map<number, FileCell> } | undefined
  let cell = { column: -1, type: 'n', style: 0, isFormula: false, text: '' }
  let isValue = false
  let isPhonetic = false
  let lastRow = 0
  let cellCount = 0
  let filledCount = 0
  /** The last row of the formula that fills a column, and so does not stand in its other cells. */
  const filledTo = new Int32Array(maxColumns)
  const fill = ({ columns: [first, last], rows: [, lastFilled] }: MergedRange) => {
    filledCount += Math.abs(last - first) + 1
    // Formulas that begin in one row never overlap.
    if (filledCount > maxColumns) throw unreadable(undefined)
    filledTo.fill(lastFilled, first, last + 1)
  }
  const handlers: Required<PartHandlers> = {
    open: (tag, attributes) => {
      if (tag === 'row') {
        lastRow = Number(attributes['r'] ?? lastRow + 1)
        row = { number: lastRow, isHidden: /^(1|true)$/.test(attributes['hidden'] ?? ''), cells: new Map() }
        cell = { ...cell, column: -1 }
        ;[cellCount, filledCount] = [0, 0]
      } else if (tag === 'c') {
        const { r, t: type = 'n', s: style } = attributes
        const column = r === undefined ? cell.column + 1 : columnIndex(r)
        cell = { column, type, style: Number(style), isFormula: false, text: '' }
        cell.isFormula = lastRow <= (filledTo[column] ?? 0)
        cellCount += 1
        if (cellCount > maxColumns) throw unreadable(undefined)
      } else if (tag === 'f') {
        cell.isFormula = true
        if (attributes['t'] !== 'shared') readRange(attributes['ref']).forEach(fill)
      } else if (tag === 'mergeCell') merged.push(...readRange(attributes['ref']))
      if (merged.length > maxMerged) throw refusal('merged')
      if (tag === 'rPh') isPhonetic = true
      isValue = tag === 'v' || (tag === 't' && !isPhonetic)
    },
    text: (part) => {
      if (isValue) cell.text += part
      if (cell.text.length > 4 * maxTextLength) throw unreadable(undefined)
    },
    close: (tag) => {
      isValue = false
      if (tag === 'rPh') isPhonetic = false
      if (tag === 'c' && row !== undefined && cell.column >= 0 && cell.column < maxColumns) {
        const value = readCell(cell, parts)
        if (value.value !== null || value.isFormula) row.cells.set(cell.column, value)
      }
      if (tag === 'row' && row !== undefined) rows.push(row)
    },
  }
  const takeRows = (): readonly FileRow[] => {
    const taken = rows
    rows = []
    return taken
  }
  return { ...handlers, takeRows }
}

interface CellText {
  readonly type: string
  readonly style: number
  readonly isFormula: boolean
  readonly text: string
}

function readCell({ type, style, isFormula, text }: CellText, parts: CellParts): FileCell {
  const { shared, dateStyles, percentStyles, isFrom1904 } = parts
  // The error of a formula that was replaced by its value.
  if (type === 'e') return { value: text, isFormula: true }
  if (text.trim() === '' && type !== 'str' && type !== 'inlineStr') return { value: null, isFormula }
  if (type === 's') {
    const value = shared[Number(text)]
    if (value === undefined) throw unreadable(undefined)
    return { value: value || null, isFormula }
  }
  if (type === 'b') return { value: text === '1' || text === 'true', isFormula }
  const serial = type === 'd' ? isoSerial(text) : undefined
  if (serial !== undefined) return { value: isFrom1904 ? serial - daysTo1904 : serial, isFormula, isDate: true }
  if (type !== 'n') return { value: decodeEscapes(text) || null, isFormula }
  const number = Number(text)
  const shownAs = { isDate: dateStyles.has(style), ...(percentStyles.has(style) && { isPercent: true }) }
  return { value: Number.isFinite(number) ? number : text, isFormula, ...shownAs }
}

/** Returns the number of a date or moment as strict workbooks write it; `undefined` for any other text. */
function isoSerial(text: string): number | undefined {
  const [, day, clock = 'T00:00:00'] = /^(\d{4}-\d\d-\d\d)(T[\d:.]+)?Z?$/.exec(text) ?? []
  const milliseconds = Date.parse(`${day}${clock}Z`)
  return Number.isNaN(milliseconds) ? undefined : excelSerial(Math.round(milliseconds / 1_000))
}

/** The index of the column of a place such as `AB12`. */
function columnIndex(place: string): number {
  let index = 0
  for (const letter of /^[A-Z]{1,3}/.exec(place)?.[0] ?? '') index = index * 26 + letter.charCodeAt(0) - 64
  return index - 1
}

function readRange(ref = ''): readonly MergedRange[] {
  const [, first = '', top, last = '', bottom] = /^\$?([A-Z]{1,3})\$?(\d+):\$?([A-Z]{1,3})\$?(\d+)$/.exec(ref) ?? []
  if (top === undefined) return []
  return [{ columns: [columnIndex(first), columnIndex(last)], rows: [Number(top), Number(bottom)] }]
}
