import { describe, expect, it } from 'vitest'
import { csvText } from '../../../lib/reports/csv-text.ts'
import { withoutEscape } from '../../../lib/reports/read-csv.ts'

const cells = ['a;b', 'c,d', '=1+1', '+20101234567', null, 5, '']
const line = (format: Parameters<typeof csvText>[0]) => csvText(format).line(cells)

describe('a line of CSV', () => {
  it.each([
    [{ separator: ',', raw: false }, `a;b,"c,d",'=1+1,'+20101234567,,5,""\r\n`],
    [{ separator: ';', raw: false }, `"a;b";"c,d";'=1+1;'+20101234567;;5;""\r\n`],
    [{ separator: ',', raw: true }, `a;b,"c,d",=1+1,+20101234567,,5,""\r\n`],
    [{ separator: ';', raw: true }, `"a;b";"c,d";=1+1;+20101234567;;5;""\r\n`],
  ] as const)('separates, quotes and guards its cells in the format %j', (format, expected) => {
    expect(line(format)).toBe(expected)
  })

  it.each([
    [',', 'x;=1', `x;'=1`],
    [',', 'x;-2+3+cmd', `x;'-2+3+cmd`],
    [',', 'x;-2;y|-3.5e2', 'x;-2;y|-3.5e2'],
    [',', 'x\t=1', `x\t'=1`],
    [',', 'x|=1', `x|'=1`],
    [',', 'x;            =1', `x;            '=1`],
    [',', 'x\n=1\ny', `"x\n'=1\ny"`],
    [',', 'x\r\n@SUM(A1)', `"x\r\n'@SUM(A1)"`],
    [',', 'x\r-2+3', `"x\r'-2+3"`],
    [',', 'x\n"=1"', `"x\n""'=1"""`],
    [',', 'x\n- one\n-5\n-6\r\n', `"x\n'- one\n-5\n-6\r\n"`],
    [';', 'x\n=1', `"x\n'=1"`],
    [';', 'x,=1', `"x,'=1"`],
    [';', 'x\t=1', `x\t'=1`],
    [';', 'x|=1', `x|'=1`],
  ] as const)('separated by "%s" quotes %j where another program would split it', (separator, text, expected) => {
    expect(csvText({ separator, raw: false }).line([text, 1])).toBe(`${expected}${separator}1\r\n`)
  })

  it.each([
    ['\tx', `'\tx`],
    ['\rx', `"'\rx"`],
    ['\nx', `"'\nx"`],
  ])('guards %j, because spreadsheets drop its first character and read on', (text, expected) => {
    expect(csvText({ separator: ',', raw: false }).line([text, 1])).toBe(`${expected},1\r\n`)
  })

  it.each([';', '\t', '|', `;${' '.repeat(30)}`])(
    'quotes a formula of a record behind %j, where another program would split it',
    (separator) => {
      const { linesOfRecords } = csvText({ separator: ',', raw: false })
      expect(linesOfRecords([[`(1,x${separator}=1)`], ['(2,y)']])).toBe(`1,x${separator}'=1\r\n2,y\r\n`)
    },
  )

  it.each(['\n', '\r', '\r\n '])('quotes a formula of a record behind the line end %j', (end) => {
    const { linesOfRecords } = csvText({ separator: ',', raw: false })
    expect(linesOfRecords([[`(1,"x${end}=1")`], ['(2,y)']])).toBe(`1,"x${end}'=1"\r\n2,y\r\n`)
  })

  it.each([' ', "'", '\t', '\n'])('is written and read in linear time for a text of many %j', (blank) => {
    const text = `x;${blank.repeat(5_000_000)}y`
    const { line, linesOfRecords } = csvText({ separator: ',', raw: false })
    for (const written of [line([text]), linesOfRecords([[`("${text}")`]])])
      expect(withoutEscape(written).includes(text)).toBe(true)
  })

  it.each(['\u00a0', '\u3000', '\ufeff'])(
    'quotes a formula of a record behind the space %j, which Postgres does not quote',
    (space) => {
      const { linesOfRecords } = csvText({ separator: ',', raw: false })
      expect(linesOfRecords([[`(1,${space}=1)`], [`(${space}-2+3,y)`]])).toBe(`1,'${space}=1\r\n'${space}-2+3,y\r\n`)
    },
  )

  it('has records as Postgres wrote them with single backslashes if it is raw', () => {
    const { linesOfRecords } = csvText({ separator: ',', raw: true })
    expect(linesOfRecords([['(1,+2010)'], ['(2,"a\\\\b")']])).toBe('1,+2010\r\n2,a\\b\r\n')
  })
})
