import type exceljs from 'exceljs'
import { beforeEach, describe, expect, it } from 'vitest'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { manager } from '../support/fixtures/identities.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'

// Requests at once need a connection each.
const work = await startImportApi(undefined, { DATABASE_CONNECTIONS: '2' })
beforeEach(() => work.reset())

it('an edited workbook is planned cell by cell, applied once, and audited', async () => {
  const edited = await editSheet(await work.exportRows(), (sheet) => {
    findCell(sheet, 'Title', 2).value = 'New title'
    findCell(sheet, 'Amount', 3).value = 99.25
  })
  const sent = await work.send(edited)
  expect(sent.json.import, sent.text).toMatchObject({ state: 'planned' })
  expect(sent.json.plan).toMatchObject({ rows: 12, counts: { change: 2, conflict: 0, refused: 0 } })
  expect(sent.json.plan.cells).toEqual([
    {
      kind: 'change',
      place: 'B2',
      id: 1,
      field: 'title',
      label: 'Title',
      base: 'Order 1',
      file: 'New title',
      now: 'Order 1',
    },
    { kind: 'change', place: 'G3', id: 2, field: 'amount', label: 'Amount', base: '2.50', file: '99.25', now: '2.50' },
  ])
  const applied = await work.apply(sent)
  expect(applied.json, applied.text).toMatchObject({
    counts: { succeeded: 2, failed: 0 },
    cells: { changed: 2, refused: 0 },
  })
  expect(await work.readOrder(1)).toMatchObject({ title: 'New title', amount: '1.50' })
  expect(await work.readOrder(2)).toMatchObject({ title: 'Order 2', amount: '99.25' })
  const changes = await work.readChanges()
  expect(changes.map(({ row_key, cells }) => [row_key, cells])).toEqual([
    ['1', { title: { before: 'Order 1', after: 'New title' } }],
    ['2', { amount: { before: '2.50', after: '99.25' } }],
  ])
  expect(new Set(changes.map(({ change }) => change))).toEqual(new Set([applied.json.change]))
  expect((await work.audit()).at(-1)).toMatchObject({
    action: 'update_cells',
    kind: 'row_bulk',
    rows: 2,
    outcome: 'succeeded',
  })
  expect((await work.apply(sent)).json).toMatchObject({ replayed: true, counts: { succeeded: 2 } })
  expect(await work.readChanges()).toHaveLength(2)
  expect((await work.show(sent.json.import.id)).json.import.state).toBe('applied')
})

it('no hidden text of an exported file can be taken for the escape of a letter', async () => {
  const texts: string[] = []
  await editSheet(await work.exportRows(), (_, book) => {
    for (const sheet of book.worksheets) sheet.eachRow((row) => row.eachCell(({ value }) => texts.push(String(value))))
  })
  const sealed = texts.filter((text) => text.length > 100)
  expect(sealed).toHaveLength(13)
  expect(sealed.filter((text) => text.includes('_'))).toEqual([])
})

it('a job that is delivered again after its plan was stored ends well, although the file is gone', async () => {
  const sent = await work.send(
    await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'Once'
    }),
  )
  await work.sql`update table_control.jobs set state = 'queued', finished_at = null, result = null where kind = 'import'`
  await work.work()
  const [job] = await work.sql`select state from table_control.jobs where kind = 'import'`
  expect(job).toEqual({ state: 'succeeded' })
  expect((await work.show(sent.json.import.id)).json.plan).toEqual(sent.json.plan)
})

it('an import that is applied returns its effects on the page of its caller', async () => {
  const sent = await work.send(
    await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'First'
      findCell(sheet, 'Title', 3).value = 'Second'
    }),
  )
  const path = `imports/orders/${sent.json.import.id}`
  const body = { plan_id: sent.json.plan.id, columns: ['id', 'title'] }
  expect((await work.post(path, body)).status).toBe(422)
  const { json } = await work.post(path, { ...body, include: ['effects'] })
  expect(json.effects).toMatchObject({
    rows: [
      { id: 1, title: 'First' },
      { id: 2, title: 'Second' },
    ],
    removed: [],
  })
  const again = await work.post(path, { ...body, include: ['effects'] })
  expect(again.json).toMatchObject({ replayed: true, onSuccess: 'reload' })
  expect(again.json).not.toHaveProperty('effects')
})

it('two requests at once apply an import once', async () => {
  const sent = await work.send(
    await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'Once'
    }),
  )
  const apply = () => work.apply(sent)
  const both = await sendBehindLock(work.sql, 'lock table table_control.audit in share row exclusive mode', [
    apply,
    apply,
  ])
  expect(both.map(({ json }) => json.replayed === true).sort()).toEqual([false, true])
  expect(await work.readChanges()).toHaveLength(1)
})

describe('a cell of an import', () => {
  const plan = async (edit: Parameters<typeof editSheet>[1], options: Parameters<typeof work.send>[1] = {}) => {
    const { json } = await work.send(await editSheet(await work.exportRows({}, options), edit), options)
    return json.plan
  }

  it.each<[string, string, exceljs.CellValue, unknown]>([
    ['an empty cell as null', 'Assignee', null, undefined],
    ['a label as its value', 'State', 'Done', 'done'],
    ['a label with a space and a mark of direction', 'State', '\u202bDone\u202c ', 'done'],
    ['a number as a decimal', 'Amount', 12.5, '12.5'],
    ['a number in Arabic digits', 'Amount', '٧٫٢٥', '7.25'],
    ['a number in Arabic digits with marks of direction', 'Amount', '\u200f٧٫٢٥\u061c', '7.25'],
    ['a number as an integer', 'Runs', 7, 7],
    ['a label of yes and no', 'Flagged', 'Yes', true],
    ['a label of yes and no in capitals', 'Flagged', 'YES', true],
    ['a number in full-width digits', 'Amount', '－７．２５', '-7.25'],
    ['a label of yes and no with a mark of direction', 'Flagged', 'Yes\u200e', true],
    ['a truth value of the program', 'Flagged', true, true],
    ['a date as local time of the table', 'Due', new Date('2026-05-01T10:30:00Z'), '2026-05-01T10:30:00'],
    ['a date as text', 'Due', '2026-05-01 10:30', '2026-05-01T10:30:00'],
    ['a date in Arabic digits with marks of direction', 'Due', '\u2067٢٠٢٦-٠٥-٠١ ١٠:٣٠\u2069', '2026-05-01T10:30:00'],
    ['a text with marks of direction as it is', 'Title', '\u200fطلب ١\u200f', '\u200fطلب ١\u200f'],
    ['a text that begins like a formula', 'Title', '=1+1 is two', '=1+1 is two'],
    ['a text in Arabic', 'Title', 'طلب «جديد»', 'طلب «جديد»'],
  ])('reads %s', async (_, header, value, expected) => {
    if (value === null) await work.sql`update orders set assignee = 'sami' where id = 1`
    const { counts, cells } = await plan((sheet) => {
      findCell(sheet, header, 2).value = value
    })
    expect(counts, JSON.stringify(cells)).toEqual({ change: 1, conflict: 0, refused: 0 })
    if (expected !== undefined) expect(cells[0].file).toEqual(expected)
  })

  it.each<[string, string, exceljs.CellValue, string, string]>([
    ['a formula', 'Amount', { formula: '1+1', result: 2 }, 'formula', 'is a formula'],
    ['a label of two values', 'State', 'Gone', 'ambiguous_label', '"Gone" is the label of several values'],
    ['a text that is no label', 'State', 'Finished', 'validation_failed', 'must be one of: Open, Done, Gone'],
    ['a text for a number', 'Amount', '1,234.50', 'not_a_number', 'without separators of thousands'],
    ['half an integer', 'Runs', 1.5, 'validation_failed', 'whole number'],
    ['a text for yes or no', 'Flagged', 'maybe', 'not_a_yes_or_no', 'must be Yes or No'],
    ['a time that the clocks skip', 'Due', '2026-03-29 02:30', 'skipped_time', 'Europe/Berlin'],
    ['a day that no calendar has', 'Due', '2026-02-30 10:00', 'not_a_date', 'yyyy-MM-dd HH:mm'],
    ['a day of the Hijri calendar', 'Due', '1448-07-22 10:30', 'other_calendar', 'write the Gregorian date'],
    ['an empty cell where a value is needed', 'Title', null, 'validation_failed', ''],
    ['a column that cannot be edited', 'Reference', 'x', 'not_editable', 'cannot edit'],
    ['too many digits', 'Amount', 1.234, 'validation_failed', 'must be a number, with at most 10 digits before'],
  ])('refuses %s', async (_, header, value, code, text) => {
    const { counts, cells } = await plan((sheet) => {
      findCell(sheet, header, 2).value = value
    })
    expect(counts, JSON.stringify(cells)).toEqual({ change: 0, conflict: 0, refused: 1 })
    expect(cells[0]).toMatchObject({ kind: 'refused', code, id: 1 })
    expect(cells[0].errors[0]).toContain(text)
    expect(cells[0].errors[1]).toMatch(/[\u0600-\u06ff]/)
  })

  it('is refused with the labels of an Arabic file', async () => {
    const edit: Parameters<typeof editSheet>[1] = (sheet) => {
      findCell(sheet, 'الحالة', 2).value = 'غير معروف'
    }
    const { cells } = await plan(edit, { headers: { ln: 'ar' } })
    expect(cells[0].errors).toEqual([
      'must be one of: مفتوح, منجز, مفقود',
      'يجب أن يكون واحدًا مما يلي: مفتوح، منجز، مفقود',
    ])
  })

  it('is a conflict where the row has changed since the export, with base, file and now', async () => {
    const edited = await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'From the file'
      findCell(sheet, 'Runs', 2).value = 5
    })
    await work.sql`update orders set title = 'Meanwhile' where id = 1`
    const sent = await work.send(edited)
    expect(sent.json.plan.counts).toEqual({ change: 1, conflict: 1, refused: 0 })
    expect(sent.json.plan.cells[0]).toMatchObject({
      kind: 'conflict',
      base: 'Order 1',
      file: 'From the file',
      now: 'Meanwhile',
    })
    expect((await work.apply(sent)).json.cells).toEqual({ changed: 1, refused: 0 })
    expect(await work.readOrder(1)).toMatchObject({ title: 'Meanwhile', runs: 5 })
  })

  it('is no change where the row has the value of the file already', async () => {
    const edited = await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'Same'
    })
    await work.sql`update orders set title = 'Same' where id = 1`
    expect((await work.send(edited)).json.plan.counts).toEqual({ change: 0, conflict: 0, refused: 0 })
  })

  it('stays as it is where the row changes between the plan and its application', async () => {
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet) => {
        findCell(sheet, 'Title', 2).value = 'Late'
        findCell(sheet, 'Title', 3).value = 'In time'
      }),
    )
    await work.sql`update orders set title = 'Faster' where id = 1`
    const { json } = await work.apply(sent)
    expect(json).toMatchObject({ counts: { succeeded: 1, failed: 1 }, cells: { changed: 1, refused: 1 } })
    expect(json.results).toMatchObject([{ id: 1, field: 'title', code: 'changed_since_planned' }])
    expect(await work.readOrder(1)).toMatchObject({ title: 'Faster' })
  })

  it('shows and keeps no value of a sensitive column', async () => {
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet) => {
        findCell(sheet, 'Assignee', 2).value = 'Jane Roe'
      }),
    )
    expect(sent.json.plan.cells).toEqual([
      { kind: 'change', place: 'D2', id: 1, field: 'assignee', label: 'Assignee', sensitive: true },
    ])
    expect((await work.apply(sent)).json.cells.changed).toBe(1)
    expect(await work.readOrder(1)).toMatchObject({ assignee: 'Jane Roe' })
    const kept = await work.sql`select row_to_json(c)::text as text from table_control.import_cells c
      union all select row_to_json(i)::text from table_control.imports i`
    expect(JSON.stringify([kept, await work.readChanges(), await work.audit(), sent.text])).not.toContain('Jane Roe')
  })

  it.each([
    ['import', 2, 2],
    ['row', 2, 3],
  ])('cannot have the sealed value of a cell of another %s', async (_, row, other) => {
    const file = await work.exportRows()
    const plan = async (at: number, value: string) =>
      work.send(
        await editSheet(file, (sheet) => {
          findCell(sheet, 'Assignee', at).value = value
        }),
      )
    const sent = await plan(row, 'Jane Roe')
    const source = await plan(other, 'John Doe')
    await work.sql`update table_control.import_cells set cell_values = source.cell_values
      from table_control.import_cells source
      where import_cells.import_id = ${sent.json.import.id} and source.import_id = ${source.json.import.id}`
    const { json } = await work.apply(sent)
    expect(json).toMatchObject({ cells: { changed: 0, refused: 1 }, results: [{ code: 'changed_since_planned' }] })
    expect(await work.readOrder(1)).toMatchObject({ assignee: null })
  })

  it('is refused without the name of its column if that is hidden since the plan', async () => {
    const seen = await editSheet(await work.exportRows({}, { as: manager }), (sheet) => {
      findCell(sheet, 'Tenant', 2).value = 'south'
      findCell(sheet, 'Tenant', 3).value = null
      findCell(sheet, 'Title', 2).value = 'Mine'
    })
    const sent = await work.send(seen, { as: manager })
    expect(sent.json.plan.cells).toContainEqual(
      expect.objectContaining({ id: 2, field: 'tenant', code: 'validation_failed' }),
    )
    const { role: _, ...demoted } = manager
    const shown = (await work.show(sent.json.import.id, '', { as: demoted })).json.plan.cells
    const refused = shown.filter(({ id }: { id: number }) => id === 2)
    expect(refused).toEqual([
      {
        kind: 'refused',
        place: expect.any(String),
        id: 2,
        code: 'not_editable',
        errors: [expect.any(String), expect.any(String)],
      },
    ])
    const { json } = await work.apply(sent, { as: demoted })
    expect(json.cells).toEqual({ changed: 1, refused: 1 })
    expect(json.results).toEqual([
      { id: 1, success: false, code: 'not_editable', errors: [expect.any(String), expect.any(String)] },
    ])
  })

  it('is refused where its row is closed to edits, also where it was open to the plan', async () => {
    const file = await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'State', 2).value = 'Done'
    })
    const sent = await work.send(file)
    await work.sql`update orders set assignee = 'locked' where id = 1`
    expect((await work.apply(sent)).json.results).toMatchObject([{ id: 1, field: 'state', code: 'closed' }])
    expect(await work.readOrder(1)).toMatchObject({ state: 'open' })
    expect((await work.send(file)).json.plan.cells).toMatchObject([{ kind: 'refused', code: 'closed' }])
  })
})

describe('a row of an import', () => {
  it('is left alone if the file lacks it, refused if it was added, and found at any place in the file', async () => {
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet) => {
        findCell(sheet, 'Title', 13).value = 'Last'
        sheet.spliceRows(2, 3)
        sheet.addRow([99, 'A new order'])
      }),
    )
    expect(sent.json.plan).toMatchObject({ rows: 10, counts: { change: 1, conflict: 0, refused: 1 } })
    expect(sent.json.plan.cells).toMatchObject([
      { id: 12, file: 'Last' },
      { code: 'added_row', place: '11' },
    ])
  })

  it('is refused where it is in the file twice', async () => {
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet) => {
        findCell(sheet, 'Title', 2).value = 'First'
        sheet.addRow([...(sheet.getRow(2).values as unknown[])].slice(1))
        findCell(sheet, 'Title', 14).value = 'Second'
      }),
    )
    expect(sent.json.plan.cells).toMatchObject([{ kind: 'refused', code: 'duplicate_row', id: 1 }])
  })

  it('is named in the sheet where it is for the second time', async () => {
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet, book) => {
        const copy = book.addWorksheet('Copy')
        for (const row of [1, 2]) copy.addRow([...(sheet.getRow(row).values as unknown[])].slice(1))
      }),
    )
    expect(sent.json.plan.cells).toMatchObject([{ code: 'duplicate_row', id: 1, place: 'Copy!2' }])
  })

  it.each([
    ['altered', (token: string) => `${token.slice(0, -4)}AAAA`, 'forged_token'],
    ['made up', () => 'order-1', 'forged_token'],
  ])('is refused where its token was %s', async (_, forge, code) => {
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet) => {
        const cell = findCell(sheet, 'table_control', 2)
        cell.value = forge(String(cell.value))
      }),
    )
    expect(sent.json.plan.cells).toMatchObject([{ kind: 'refused', code }])
  })

  it('is refused where its token is of another file', async () => {
    const other = await work.exportRows({ columns: ['title'] })
    let token = ''
    await editSheet(other, (sheet) => {
      token = String(findCell(sheet, 'table_control', 2).value)
    })
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet) => {
        findCell(sheet, 'table_control', 2).value = token
      }),
    )
    expect(sent.json.plan.cells).toMatchObject([{ kind: 'refused', code: 'foreign_token' }])
  })

  it('is refused after it has left the scope like one that is gone, and only if the file changes it', async () => {
    await work.sql`update orders set due = '2026-04-13 13:31+02' where id = 1`
    const file = await work.exportRows()
    await work.sql`update orders set tenant = 'south' where id = 1`
    await work.sql`delete from orders where id = 2`
    const saved = await editSheet(file, (sheet) => {
      // LibreOffice rounds 46125.56319444445 so, which stands for another number than its first 15 digits.
      findCell(sheet, 'Due', 2).value = 46_125.5631944445
    })
    expect((await work.send(saved)).json.plan.counts.refused).toBe(0)
    const sent = await work.send(
      await editSheet(file, (sheet) => {
        for (const row of [2, 3]) findCell(sheet, 'Title', row).value = 'Mine'
      }),
    )
    const [left, gone] = sent.json.plan.cells
    expect({ ...left, id: 0, place: '' }).toEqual({ ...gone, id: 0, place: '' })
    expect(left.code).toBe('row_not_found')
  })

  it('stays as it is where it is hidden or its cells are merged', async () => {
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet) => {
        findCell(sheet, 'Title', 2).value = 'Hidden'
        sheet.getRow(2).hidden = true
        findCell(sheet, 'Title', 4).value = 'Merged'
        sheet.mergeCells('B4:B5')
      }),
    )
    expect(sent.json.plan.counts.change).toBe(0)
    expect(sent.json.plan.cells.map(({ code }: { code: string }) => code)).toEqual(['hidden_row', 'merged', 'merged'])
  })
})
