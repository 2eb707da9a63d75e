import type exceljs from 'exceljs'
import * as fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'

const work = await startImportApi()
beforeEach(() => work.reset())

/** A text that a workbook can hold and a cell of the table takes. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((value) => !/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(value) && !/_x[\da-f]{4}_/i.test(value))

/** The edits of one row: what is written into the file, and the value that it means. */
const edits = fc.record(
  {
    Title: text.map((value) => [value, value] as const),
    Runs: fc.integer({ min: 1, max: 1_000_000 }).map((value) => [value, value] as const),
    Amount: fc
      .integer({ min: 100_000, max: 999_999_999 })
      .map((cents) => [cents / 100, (cents / 100).toFixed(2)] as const),
    State: fc.constant(['Gone?', undefined] as const),
    Due: fc
      .date({ min: new Date('2027-06-01T00:00:00Z'), max: new Date('2027-09-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => new Date(Math.floor(date.getTime() / 1_000) * 1_000))
      .map((date) => [date, date.toISOString().slice(0, 19)] as const),
  },
  { requiredKeys: [] },
)

const fields = { Title: 'title', Runs: 'runs', Amount: 'amount', State: 'state', Due: 'due' } as const

it('plans exactly the edits of a file, for any edits and any order of its rows', async () => {
  const file = await work.exportRows()
  const rows = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 12 }), edits), {
    selector: ([id]) => id,
    maxLength: 6,
  })
  const deleted = fc.integer({ min: 0, max: 3 })
  const ids = Array.from({ length: 12 }, (_, index) => index + 1)
  const order = fc.shuffledSubarray(ids, { minLength: 12 })
  await fc.assert(
    fc.asyncProperty(rows, deleted, order, async (changed, removed, ordered) => {
      const sent = await work.send(
        await editSheet(file, (sheet) => {
          for (const [id, cells] of changed)
            for (const [header, [value]] of Object.entries(cells)) findCell(sheet, header, id + 1).value = value
          const values = ids.map((id) => sheet.getRow(id + 1).values as exceljs.CellValue[])
          for (const [place, id] of ordered.entries()) sheet.getRow(place + 2).values = (values[id - 1] ?? []).slice(1)
          sheet.spliceRows(2, removed)
        }),
      )
      const expected = changed
        .filter(([id]) => !ordered.slice(0, removed).includes(id))
        .flatMap(([id, cells]) =>
          Object.entries(cells).map(([header, [, value]]) => ({
            id,
            field: fields[header as keyof typeof fields],
            ...(value === undefined ? { kind: 'refused' } : { kind: 'change', file: value }),
          })),
        )
      const planned = sent.json.plan.cells.map(({ id, field, kind, file: value }: Record<string, unknown>) => ({
        id,
        field,
        kind,
        ...(kind === 'change' && { file: field === 'amount' ? Number(value).toFixed(2) : value }),
      }))
      const sortCells = (cells: readonly object[]) => cells.map((cell) => JSON.stringify(cell)).sort()
      expect(sortCells(planned)).toEqual(sortCells(expected))
      await work.sql`delete from table_control.imports`
    }),
    { numRuns: 12 },
  )
})
