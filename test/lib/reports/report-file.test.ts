import { describe, expect, it } from 'vitest'
import { columnLetters } from '../../../lib/reports/excel-file.ts'
import { reportFileName } from '../../../lib/reports/report-file.ts'
import { sheetName } from '../../../lib/reports/sheet-layout.ts'
import { parcelReport } from './parcel-reports.ts'

describe('the name of a file', () => {
  it.each([
    [{ language: 'en', format: 'excel' }, 'parcels-2026-11-22.xlsx'],
    [{ language: 'ar', format: 'csv' }, '2026-11-22-الطرود.csv'],
  ] as const)('has the day of the time zone of the table: %j is %s', (asked, name) => {
    expect(reportFileName(parcelReport(asked))).toBe(name)
  })

  it('has none of the characters that end a header or a path', () => {
    const request = parcelReport({ language: 'ar' })
    const label = { en: '', ar: '../a\r\nB: c"؛/\\' }
    const table = { ...request.view.table, definition: { ...request.view.table.definition, label } }
    expect(reportFileName({ ...request, view: { ...request.view, table } })).toBe('a-B-c-2026-11-22.xlsx')
  })
})

describe('the name of a sheet', () => {
  it.each([
    ['Flights', 1, 'Flights'],
    ['Flights', 2, 'Flights 2'],
    ['a/b\\c?d*e[f]g:h', 1, 'a b c d e f g h'],
    ["'quoted'", 1, 'quoted'],
    ["Nora's 'own'", 1, 'Nora’s ’own'],
    ['History', 1, 'History sheet'],
    ['', 1, 'sheet'],
    ['///', 3, 'sheet 3'],
    ['x'.repeat(40), 12, `${'x'.repeat(28)} 12`],
    ['😀'.repeat(20), 1, '😀'.repeat(15)],
  ])('made of %j as number %i is %j', (label, number, name) => {
    expect(sheetName(label, number)).toBe(name)
    expect(name.length).toBeLessThanOrEqual(31)
  })
})

it.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [701, 'ZZ'],
  [702, 'AAA'],
  [16_383, 'XFD'],
])('the column with the index %i of a sheet has the letters %s', (index, letters) => {
  expect(columnLetters(index)).toBe(letters)
})
