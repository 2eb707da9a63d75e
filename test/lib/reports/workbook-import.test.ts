import JSZip from 'jszip'
import { expect, it } from 'vitest'
import { readWorkbook } from '../../../lib/reports/read-workbook.ts'

it('stops reading a workbook in the middle of a row, for the reason of its signal', async () => {
  const zip = new JSZip()
  zip.file('[Content_Types].xml', '<Types/>')
  zip.file('xl/workbook.xml', '<workbook xmlns:r="r"><sheets><sheet name="Rows" r:id="1"/></sheets></workbook>')
  zip.file('xl/_rels/workbook.xml.rels', '<Relationships><Relationship Id="1" Target="rows.xml"/></Relationships>')
  zip.file('xl/rows.xml', `<worksheet><row>${'<c><v>1</v></c>'.repeat(16_000)}</row></worksheet>`)
  const work = new AbortController()
  const { sheets } = await readWorkbook(await zip.generateAsync({ type: 'nodebuffer' }), work.signal)
  const reading = sheets[0]?.rows()[Symbol.asyncIterator]().next()
  const reason = new Error('the job was cancelled')
  work.abort(reason)
  await expect(reading).rejects.toBe(reason)
})
