import { randomBytes } from 'node:crypto'
import JSZip from 'jszip'
import { editSheet, findCell } from '../support/fixtures/import-api.ts'

/** Changes the parts of a workbook. */
export async function editParts(bytes: Buffer, edit: (zip: JSZip) => Promise<void> | void): Promise<Buffer> {
  const zip = await JSZip.loadAsync(bytes)
  await edit(zip)
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}

/** Gives a workbook a list of texts: the exports write theirs into the cells. */
async function addSharedTexts(zip: JSZip, texts: string): Promise<void> {
  zip.file('xl/sharedStrings.xml', `<sst>${texts}</sst>`)
  const list = '<Relationship Id="texts" Type="r/sharedStrings" Target="sharedStrings.xml"/>'
  await replaceText(zip, 'xl/_rels/workbook.xml.rels', '</Relationships>', `${list}</Relationships>`)
}

export async function replaceText(zip: JSZip, part: string, from: string, to: string): Promise<void> {
  const text = (await zip.file(part)?.async('text')) ?? ''
  zip.file(part, text.replace(from, to))
}

/** Adds XML behind the rows of the first sheet. */
const addToSheet = (file: Buffer, xml: string) =>
  editParts(file, (zip) => replaceText(zip, 'xl/worksheets/sheet1.xml', '</sheetData>', `</sheetData>${xml}`))

/** Adds a row behind those of the first sheet. */
export const addRow = (file: Buffer, cells: string) =>
  editParts(file, (zip) =>
    replaceText(zip, 'xl/worksheets/sheet1.xml', '</sheetData>', `<row r="20">${cells}</row></sheetData>`),
  )

function pack(parts: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new JSZip()
  for (const [name, text] of Object.entries(parts)) zip.file(name, text)
  return zip.generateAsync({ type: 'nodebuffer' })
}

/** Marks each part of an archive as encrypted. */
function encryptParts(file: Buffer): Buffer {
  const bytes = Buffer.from(file)
  for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 4)) bytes[at + 8] = 1
  return bytes
}

/** Writes tags of a thousand characters, which are parsed in less time than as many short ones. */
const filledTags = (length: number) => `<a>${' '.repeat(993)}</a>`.repeat(length / 1_000)

/** Gives a workbook a part of this type. */
const addRelationship = (file: Buffer, type: string) =>
  editParts(file, (zip) => {
    const relationship = `<Relationship Id="other" Type="http://schemas.example.test/${type}" Target="other.xml"/>`
    return replaceText(zip, 'xl/_rels/workbook.xml.rels', '</Relationships>', `${relationship}</Relationships>`)
  })

/**
 * Files that no import takes: what each has, how it is made of an export, and the code and a part of the text of its
 * refusal.
 */
export const refusedFiles: readonly (readonly [string, (file: Buffer) => Promise<Buffer> | Buffer, string, string])[] =
  [
    ['text that is no workbook', () => Buffer.from('hello'), 'import_refused', 'no hidden cells'],
    ['bytes of another kind', () => Buffer.from([0, 1, 2, 3]), 'import_unreadable', 'neither a workbook'],
    ['an empty archive', () => new JSZip().generateAsync({ type: 'nodebuffer' }), 'import_unreadable', 'neither'],
    [
      'the parts of an .ods',
      () => pack({ mimetype: 'x', 'content.xml': '<x/>' }),
      'import_unreadable',
      'save it as .xlsx',
    ],
    ['the parts of an .xlsb', () => pack({ 'xl/workbook.bin': 'x' }), 'import_unreadable', 'save it as .xlsx'],
    ['a password as of an archive', encryptParts, 'import_unreadable', 'save it as .xlsx'],
    ['half a workbook', (file) => file.subarray(0, file.length / 2), 'import_unreadable', 'damaged'],
    ['an old workbook', () => Buffer.from('d0cf11e0a1b11ae1000000', 'hex'), 'import_refused', 'old format .xls'],
    [
      'thousands of merged cells',
      (file) =>
        addToSheet(
          file,
          `<mergeCells>${Array.from({ length: 1_001 }, (_, row) => `<mergeCell ref="B${row + 20}:C${row + 20}"/>`).join('')}</mergeCells>`,
        ),
      'import_refused',
      'more than 1,000 merged ranges',
    ],
    [
      'a row of more cells than a sheet has columns',
      (file) => addRow(file, '<c/>'.repeat(16_385)),
      'import_unreadable',
      'neither',
    ],
    [
      'formulas of one row that fill more cells than it has',
      (file) => addRow(file, '<c r="A20"><f t="array" ref="A20:XFD21">1</f></c>'.repeat(2)),
      'import_unreadable',
      'neither',
    ],
    [
      'macros',
      (file) => editParts(file, (zip) => void zip.file('xl/vbaProject.bin', 'x')),
      'import_refused',
      'it has macros',
    ],
    [
      'the type of a workbook with macros',
      (file) =>
        editParts(file, (zip) =>
          replaceText(zip, '[Content_Types].xml', 'spreadsheetml.sheet.main', 'sheet.macroEnabled.main'),
        ),
      'import_refused',
      'it has macros',
    ],
    [
      'links to other files',
      (file) => editParts(file, (zip) => void zip.file('xl/externalLinks/externalLink1.xml', '<x/>')),
      'import_refused',
      'refers to other files',
    ],
    [
      'links to other files in a part of another name',
      (file) => addRelationship(file, 'officeDocument/2006/relationships/externalLink'),
      'import_refused',
      'refers to other files',
    ],
    [
      'macros in a part of another name',
      (file) => addRelationship(file, 'office/2006/relationships/xlMacrosheet'),
      'import_refused',
      'it has macros',
    ],
    [
      'one part for two sheets',
      (file) =>
        editParts(file, async (zip) => {
          const [, id] = /r:id="(\w+)"/.exec((await zip.file('xl/workbook.xml')?.async('text')) ?? '') ?? []
          await replaceText(
            zip,
            'xl/workbook.xml',
            '</sheets>',
            `<sheet name="Again" sheetId="9" r:id="${id}"/></sheets>`,
          )
        }),
      'import_unreadable',
      'neither',
    ],
    [
      'two sheets of one name',
      (file) => editParts(file, (zip) => replaceText(zip, 'xl/workbook.xml', 'name="Summary"', 'name="Orders"')),
      'import_refused',
      'several of its sheets are called "Orders"',
    ],
    [
      'a list of texts that unpacks to a thousand times its size',
      (file) => editParts(file, (zip) => addSharedTexts(zip, filledTags(17_000_000))),
      'import_too_large',
      'when unpacked',
    ],
    [
      'too many parts',
      (file) =>
        editParts(file, (zip) => {
          const stored = { compression: 'STORE' } as const
          for (let part = 0; part < 1_200; part++) zip.file(`xl/media/${part}.png`, 'x', stored)
        }),
      'import_too_large',
      '1,000 parts',
    ],
    [
      'a text in its list of texts that no cell could hold',
      (file) =>
        editParts(file, (zip) => addSharedTexts(zip, `<si><t>${randomBytes(150_000).toString('hex')}</t></si>`)),
      'import_unreadable',
      'neither',
    ],
    [
      'entities of a document type',
      (file) =>
        editParts(file, (zip) =>
          replaceText(zip, 'xl/workbook.xml', '<workbook', '<!DOCTYPE w [<!ENTITY a "a">]><workbook'),
        ),
      'import_unreadable',
      'neither',
    ],
    [
      'elements in thousands of others',
      (file) => addToSheet(file, '<a>'.repeat(9_000) + '</a>'.repeat(9_000)),
      'import_unreadable',
      'neither',
    ],
    [
      'an attribute of 2 MB',
      (file) => addToSheet(file, `<a b="${'x'.repeat(2_000_000)}"/>`),
      'import_unreadable',
      'neither',
    ],
    [
      '200,000 attributes',
      (file) => addToSheet(file, `<a ${Array.from({ length: 200_000 }, (_, n) => `a${n}=""`).join(' ')}/>`),
      'import_unreadable',
      'neither',
    ],
    [
      'more styles than programs have',
      (file) =>
        editParts(file, (zip) =>
          replaceText(zip, 'xl/styles.xml', '<cellXfs', `<cellXfs>${'<xf/>'.repeat(70_000)}</cellXfs><cellXfs`),
        ),
      'import_unreadable',
      'neither',
    ],
    [
      'a list of sheets of 10 MB',
      (file) =>
        editParts(file, (zip) =>
          replaceText(zip, 'xl/workbook.xml', '</workbook>', `${filledTags(10_000_000)}</workbook>`),
        ),
      'import_unreadable',
      'neither',
    ],
    [
      'an altered hidden sheet',
      (file) =>
        editSheet(file, (_, book) => {
          const sheet = book.getWorksheet('table_control')
          if (sheet !== undefined) sheet.getCell('A1').value = `${sheet.getCell('A1').value}A`
        }),
      'import_refused',
      'hidden sheet "table_control" was altered',
    ],
    [
      'no hidden column',
      (file) =>
        editSheet(file, (sheet) => {
          findCell(sheet, 'table_control', 1).value = 'other'
        }),
      'import_refused',
      'no header of the hidden last column "table_control"',
    ],
    [
      'a title above its headers',
      (file) =>
        editSheet(file, (sheet) => {
          sheet.spliceRows(1, 0, ['All orders'])
        }),
      'import_refused',
      'remove the rows above the headers',
    ],
    [
      'no hidden sheet',
      (file) =>
        editSheet(file, (_, book) => {
          book.removeWorksheet('table_control')
        }),
      'import_refused',
      'hidden sheet "table_control" is missing',
    ],
    [
      'a column twice',
      (file) =>
        editSheet(file, (sheet) => {
          findCell(sheet, 'Runs', 1).value = 'Title'
        }),
      'import_refused',
      'several of its columns are called "Title"',
    ],
  ]
