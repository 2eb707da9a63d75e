import JSZip from 'jszip'
import { expect, it } from 'vitest'
import { readWorkbook } from '../../../lib/reports/read-workbook.ts'

const relationships = (...lines: readonly (readonly [id: string, kind: string, target: string])[]) =>
  `<Relationships>${lines.map(([id, kind, target]) => `<Relationship Id="${id}" Type="r/${kind}" Target="${target}"/>`).join('')}</Relationships>`

const usualParts = {
  '[Content_Types].xml': '<Types/>',
  '_rels/.rels': relationships(['1', 'officeDocument', 'xl/workbook.xml']),
  'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="Rows" r:id="1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels': relationships(['1', 'worksheet', 'rows.xml']),
}

function packParts(parts: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new JSZip()
  for (const [name, text] of Object.entries({ ...usualParts, ...parts })) zip.file(name, text)
  return zip.generateAsync({ type: 'nodebuffer' })
}

async function readCells(parts: Readonly<Record<string, string>>) {
  const { sheets } = await readWorkbook(await packParts(parts), new AbortController().signal)
  for await (const { cells } of sheets[0]?.rows() ?? []) return [...cells]
  return []
}

const withRow = (cells: string) => `<worksheet><sheetData><row>${cells}</row></sheetData></worksheet>`

it('stops reading a workbook in the middle of a row, for the reason of its signal', async () => {
  const work = new AbortController()
  const bytes = await packParts({ 'xl/rows.xml': withRow('<c><v>1</v></c>'.repeat(16_000)) })
  const { sheets } = await readWorkbook(bytes, work.signal)
  const reading = sheets[0]?.rows()[Symbol.asyncIterator]().next()
  const reason = new Error('the job was cancelled')
  work.abort(reason)
  await expect(reading).rejects.toBe(reason)
})

it.each([
  ['numbered anew', 'xl/', 'workbook22.xml', ['worksheets/sheet22.xml', 'sharedStrings22.xml', 'styles22.xml']],
  ['at paths from the top', 'book/', 'main.xml', ['/rows.xml', '/texts/texts.xml', '/styles.xml']],
  ['at paths with dots', 'a/b/', 'main.xml', ['./rows.xml', '../texts.xml', '../../styles.xml']],
])('reads a workbook whose parts are %s', async (_, folder, workbook, targets) => {
  const [rows = '', texts = '', styles = ''] = targets
  const at = (target: string) => new URL(target, `file:///${folder}`).pathname.slice(1)
  const cells = await readCells({
    '_rels/.rels': relationships(['1', 'officeDocument', `${folder}${workbook}`]),
    [folder + workbook]: usualParts['xl/workbook.xml'],
    [`${folder}_rels/${workbook}.rels`]: relationships(
      ['1', 'worksheet', rows],
      ['2', 'sharedStrings', texts],
      ['3', 'styles', styles],
    ),
    [at(rows)]: withRow('<c t="s"><v>0</v></c><c s="0"><v>46000</v></c>'),
    [at(texts)]: '<sst><si><t>Order 1</t></si></sst>',
    [at(styles)]: '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
  })
  expect(cells).toEqual([
    [0, { value: 'Order 1', isFormula: false }],
    [1, { value: 46_000, isFormula: false, isDate: true }],
  ])
})

const texts = {
  'xl/_rels/workbook.xml.rels': relationships(['1', 'worksheet', 'rows.xml'], ['2', 'sharedStrings', 'texts.xml']),
  'xl/texts.xml': '<sst><si><t>Title</t></si></sst>',
}

it.each(['s', 'b', 'n', 'd'])('takes a cell of the type "%s" without a value for an empty one', async (type) => {
  expect(await readCells({ ...texts, 'xl/rows.xml': withRow(`<c t="${type}"/><c t="${type}"><v> </v></c>`) })).toEqual(
    [],
  )
})

it('refuses a workbook with a cell whose text is not in its list of texts', async () => {
  const reading = readCells({ ...texts, 'xl/rows.xml': withRow('<c t="s"><v>1</v></c>') })
  await expect(reading).rejects.toMatchObject({ code: 'import_unreadable' })
})

it('takes a workbook for one without macros whose list of types only says what binary parts would be', async () => {
  const type = 'application/vnd.ms-excel.sheet.binary.macroEnabled.main'
  const types = `<Types><Default Extension="bin" ContentType="${type}"/></Types>`
  expect(await readCells({ '[Content_Types].xml': types, 'xl/rows.xml': withRow('<c><v>1</v></c>') })).toHaveLength(1)
})

it.each([14, 22, 47, 27, 31, 36, 50, 58, 71, 81])(
  'takes the format %d for one of dates, which no file describes',
  async (id) => {
    const cells = await readCells({
      'xl/_rels/workbook.xml.rels': relationships(['1', 'worksheet', 'rows.xml'], ['2', 'styles', 'styles.xml']),
      'xl/styles.xml': `<styleSheet><cellXfs><xf numFmtId="${id}"/></cellXfs></styleSheet>`,
      'xl/rows.xml': withRow('<c s="0"><v>46000</v></c>'),
    })
    expect(cells).toMatchObject([[0, { isDate: true }]])
  },
)
