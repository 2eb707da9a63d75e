import { describe, expect, it } from 'vitest'
import { csvText, defaultCsv } from '../../../lib/reports/csv-text.ts'
import { exactNumber } from '../../../lib/reports/spreadsheet-values.ts'
import { createCellFormat } from '../../../lib/rows/cell.ts'
import { groupThousands, plainDecimal } from '../../../lib/rows/decimal-text.ts'
import { sanitiseHtml } from '../../../lib/rows/sanitise-html.ts'
import { safeFileName } from '../../../lib/storage/file-name.ts'

/**
 * Returns how much longer ten times the text takes: what is quadratic takes a hundred times as long, however often it
 * is measured.
 */
function growth(work: (size: number) => unknown, size: number): number {
  const time = (length: number) => {
    const runs = Array.from({ length: 3 }, () => {
      const began = performance.now()
      work(length)
      return performance.now() - began
    })
    return Math.min(...runs) + 0.2
  }
  work(size)
  return time(size * 10) / time(size)
}

describe('a text that is made to be slow', () => {
  it.each<[string, (size: number) => unknown]>([
    ['a tag of nothing but attributes', (size) => sanitiseHtml(`<a ${'a= '.repeat(size)}>`)],
    ['a quoted end of a tag', (size) => sanitiseHtml(`<a title=">${' a='.repeat(size)}">`)],
    ['a fraction of zeros', (size) => createCellFormat('number')(`0.${'0'.repeat(size)}1`)],
    ['a fraction of zeros in a workbook', (size) => exactNumber(`0.${'0'.repeat(size)}1`, 0, undefined)],
    ['a fraction of zeros in an import', (size) => plainDecimal(`1.${'0'.repeat(size * 5)}1`)],
    ['a total of many digits', (size) => groupThousands('1'.repeat(size))],
    ['a file name of dots', (size) => safeFileName(`x${'.'.repeat(size)}x`)],
  ])('takes no more than its length: %s', (_, work) => {
    return expect.poll(() => growth(work, 3_000)).toBeLessThan(45)
  })

  it.each(['style', 'script'])('shows nothing of the body of <%s>', (tag) => {
    expect(sanitiseHtml(`a<${tag}>b { color: red }</${tag}>c`)).toBe('ac')
  })

  it('keeps the text of a tag that is not allowed', () => {
    expect(sanitiseHtml('a<form action="https://example.test/">b</form><x-card>c</x-card>')).toBe('abc')
  })

  it('leaves honest tags as they are', () => {
    const link = '<a href="https://example.test/" title="one two three" target="_blank">text</a>'
    expect(sanitiseHtml(link)).toBe(link)
  })
})

describe('a CSV text that a spreadsheet could run', () => {
  it.each([
    ['   =1+1', `'   =1+1`],
    ['\u00a0=1+1', `'\u00a0=1+1`],
    ["x;=cmd|' /C calc'!A0;y", `x;'=cmd|' /C calc'!A0;y`],
    ['a;-b', `a;'-b`],
    ['a;-5', 'a;-5'],
    ['a;b', 'a;b'],
  ])('stays text at every place where a program may split it: %j', (text, cell) => {
    expect(csvText(defaultCsv).line(['1', text])).toBe(`1,${cell}\r\n`)
  })
})
