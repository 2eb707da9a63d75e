import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { columnLetters } from '../../lib/reports/excel-file.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, north, south } from '../support/fixtures/identities.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'
import { readSignedAt, shiftProcessClock } from '../support/fixtures/process-clock.ts'
import { exampleRun, readmeBlock, readmeSamples } from '../support/requests/readme-examples.ts'
import { addRow, editParts, refusedFiles, replaceText } from './refused-files.ts'

const work = await startImportApi()
beforeEach(() => work.reset())

it.each(refusedFiles)('refuses a file with %s, in both languages', async (_, make, code, text) => {
  const sent = await work.send(await make(await work.exportRows()))
  expect(sent.json.import, sent.text).toMatchObject({ state: 'failed', code })
  const [english, arabic] = sent.json.import.errors
  expect(english).toContain(text)
  expect(arabic).toMatch(/[\u0600-\u06ff]/)
  expectFailure(await work.apply({ ...sent, json: { ...sent.json, plan: { id: sent.json.import.id } } }), {
    status: 422,
    code: 'import_not_planned',
  })
  // The caller reads the state of the import, so that a notification would tell it twice.
  expect(await work.sql`select from table_control.notifications`).toEqual([])
})

it('refuses a row that shows the key of another row, as after some of the columns were sorted', async () => {
  const sent = await work.send(
    await editSheet(await work.exportRows(), (sheet) => {
      const [first, second] = [2, 3].map((row) => findCell(sheet, 'table_control', row))
      if (first === undefined || second === undefined) throw new Error('the sheet has no tokens')
      ;[first.value, second.value] = [second.value, first.value]
    }),
  )
  expect(sent.json.plan).toMatchObject({ counts: { change: 0, conflict: 0, refused: 2 } })
  expect(sent.json.plan.cells).toMatchObject([
    { code: 'other_row', id: 2, place: '2' },
    { code: 'other_row', id: 1, place: '3' },
  ])
  expect(sent.json.plan.cells[0].errors[0]).toContain('sort and copy whole rows')
})

it('refuses each cell of a formula that fills several', async () => {
  const formula = { shareType: 'array', ref: 'G2:G3', formula: '1+1', result: 2, date1904: false }
  const sent = await work.send(
    await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Amount', 2).value = formula
      findCell(sheet, 'Amount', 3).value = 2
    }),
  )
  const expected = [2, 3].map((number) => ({ place: `G${number}`, kind: 'refused', code: 'formula' }))
  expect(sent.json.plan.cells).toMatchObject(expected)
  expect(sent.json.plan.cells).toHaveLength(2)
})

it('reads a row with 2,000 formulas that fill several cells', async () => {
  const edited = await editSheet(await work.exportRows(), (sheet) => {
    findCell(sheet, 'Title', 2).value = 'New title'
  })
  const formulas = Array.from({ length: 2_000 }, (_, index) => {
    const first = columnLetters(100 + 2 * index)
    const last = columnLetters(101 + 2 * index)
    return `<c r="${first}20"><f t="array" ref="${first}20:${last}21">1</f></c>`
  })
  const { json } = await work.send(await addRow(edited, formulas.join('')))
  expect(json.plan?.cells).toContainEqual(expect.objectContaining({ kind: 'change', field: 'title' }))
})

it('shows a caller whose rights have changed since no row of an import that was applied', async () => {
  const sent = await work.send(
    await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'Late'
    }),
  )
  await work.sql`update orders set title = 'Faster' where id = 1`
  const { results, ...counts } = (await work.apply(sent)).json
  expect(results).toMatchObject([{ id: 1, code: 'changed_since_planned' }])
  const replayed = { ...counts, code: 'plan_already_applied', replayed: true }
  const again = await work.apply(sent)
  expect(again.json).toEqual({ ...replayed, results })
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect((await work.apply(sent, { as: { ...north, role: 'manager' } })).json).toEqual(replayed)
})

it('refuses to apply an import with a version, which it would ignore', async () => {
  const sent = await work.send(
    await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'Late'
    }),
  )
  const refused = await work.apply(sent, { headers: { 'if-match': '"1"' } })
  expectFailure(refused, { status: 422, code: 'validation_failed', field: 'If-Match' })
  expect((await work.apply(sent)).json.counts).toEqual({ succeeded: 1, failed: 0 })
})

it('an import is undone as one change, and so is its undo', async () => {
  const sent = await work.send(
    await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'First'
      findCell(sheet, 'Assignee', 3).value = 'Second'
    }),
  )
  const { undo } = (await work.apply(sent)).json
  const undone = await work.post(undo.url.replace(/^.*control-tables\//, ''), {})
  expect(undone.json, undone.text).toMatchObject({ counts: { succeeded: 2, failed: 0 } })
  expect(await work.readOrder(1)).toMatchObject({ title: 'Order 1' })
  expect(await work.readOrder(2)).toMatchObject({ assignee: null })
  const again = await work.post(undone.json.undo.url.replace(/^.*control-tables\//, ''), {})
  expect(again.json, again.text).toMatchObject({ counts: { succeeded: 2, failed: 0 } })
  expect(await work.readOrder(1)).toMatchObject({ title: 'First' })
  expect(await work.readOrder(2)).toMatchObject({ assignee: 'Second' })
})

describe('an upload', () => {
  it.each([
    ['no size', {}],
    ['no bytes', { bytes: 0 }],
    ['100 MB', { bytes: 100_000_000 }],
    ['a text', { bytes: '5' }],
  ])('is refused for %s', async (_, body) => {
    const response = await work.post('imports/orders', body)
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'bytes' })
  })

  it('is refused where nothing can be edited', async () => {
    expectFailure(await work.post('imports/plain', { bytes: 5 }), { status: 422, code: 'import_refused' })
  })

  it('is signed for its size', async () => {
    const { json } = await work.post('imports/orders', { bytes: 5 })
    expect(new URL(json.upload.url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host')
    expect(json.upload.url).not.toContain('checksum')
  })

  it('works from now on by the clock of the database', async () => {
    const ahead = shiftProcessClock(-20)
    const { json } = await work.post('imports/orders', { bytes: 5 })
    expect(Math.abs(readSignedAt(json.upload.url) + ahead - Date.now())).toBeLessThan(60_000)
  })
})

describe('an import of another caller, table or guard', () => {
  it('is not found', async () => {
    const sent = await work.send(await work.exportRows())
    const { id } = sent.json.import
    for (const as of [colleague, south])
      expectFailure(await work.show(id, '', { as }), { status: 404, code: 'import_not_found' })
    for (const place of [{ table: 'matched' }, { guard: 'web' }])
      expectFailure(await work.show(id, '', place), { status: 404, code: 'import_not_found' })
    expectFailure(await work.apply(sent, { as: colleague }), { status: 404, code: 'import_not_found' })
    expectFailure(await work.show('none'), { status: 404, code: 'import_not_found' })
  })

  it.each([
    ['caller', { as: colleague }, 'another user exported it'],
    ['table', { table: 'matched' }, 'another table'],
    ['guard', { guard: 'web' }, 'another guard'],
  ])('is refused where its file is of another %s', async (_, options, text) => {
    const sent = await work.send(await work.exportRows(), options)
    expect(sent.json.import.text).toContain(text)
  })
})

describe('a large file', () => {
  it('has places with the first 100 characters of the names of its sheets', async () => {
    const edited = await editSheet(await work.exportRows(), (sheet, book) => {
      const copy = book.addWorksheet('Second')
      sheet.eachRow((row, number) => {
        copy.getRow(number).values = row.values
      })
      findCell(copy, 'Title', 2).value = 'New'
      for (let row = sheet.rowCount; row > 1; row--) sheet.spliceRows(row, 1)
    })
    const long = await editParts(edited, (zip) =>
      replaceText(zip, 'xl/workbook.xml', 'name="Second"', `name="${'n'.repeat(1_000_000)}"`),
    )
    const { json } = await work.send(long)
    expect(json.plan.cells.map(({ place }: { place: string }) => place)).toEqual([
      expect.stringMatching(/^n{100}![A-Z]2$/),
    ])
  })

  it('is read in little memory however many columns it has that the table does not have', async () => {
    const lines = ['Title', ...Array.from({ length: 250 }, () => 'Order 1')].map((name) => name + ',1'.repeat(8_000))
    const id = await work.upload(Buffer.from(lines.join('\n')), { table: 'matched' })
    await work.show(id, '', { table: 'matched' })
    const script = fileURLToPath(new URL('../support/jobs/import-worker-process.ts', import.meta.url))
    const worker = spawn(
      process.execPath,
      ['--max-semi-space-size=4', '--max-old-space-size=128', script, JSON.stringify(await work.listWaiting())],
      { env: { ...process.env, ...work.environment }, stdio: 'ignore' },
    )
    await once(worker, 'exit')
    expect([worker.exitCode, worker.signalCode]).toEqual([0, null])
    expect((await work.show(id, '', { table: 'matched' })).json.import.state).toBe('planned')
  })

  it('can be undone whole or in part, with the first 1,000 rows that stay as they are', async () => {
    await work.sql`insert into orders (id, tenant, title, state, runs, flagged, amount)
      select n, 'north', 'Parcel ' || n, 'open', 0, false, 1 from generate_series(1001, 2100) n`
    const lines = Array.from({ length: 1_100 }, (_, index) => `Parcel ${index + 1_001},2`)
    const sent = await work.send(Buffer.from(['Title,Amount', ...lines].join('\n')), { table: 'matched' })
    const { json } = await work.apply(sent, { table: 'matched' })
    await work.sql`update orders set amount = 3 where id > 1001`
    const undone = await work.post(json.undo.url.replace(/^.*control-tables\//, ''), {})
    await work.sql`delete from orders where id > 1000`
    expect(undone.json.counts).toEqual({ succeeded: 1, failed: 1_099 })
    expect(undone.json.results).toHaveLength(1_000)
    expect(undone.json.results[0]).toMatchObject({ id: 1_002, code: 'undo_conflict' })
  })
})

describe('a CSV file', () => {
  const csv = async (table: string, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    (await work.post(`bulk-table-action/${table}/export_csv`, body, { headers: { accept: 'text/csv', ...headers } }))
      .bytes

  it('is refused with a sentence that says why, where no unique column is declared', async () => {
    const sent = await work.send(Buffer.from(await csv('orders')))
    expect(sent.json.import.text).toContain('no unique column')
  })

  it('is planned as functions/README.md says', async () => {
    const { json } = await work.send(Buffer.from(readmeBlock('## Imports', 'csv')), { table: 'matched' })
    exampleRun().compare(json.plan, readmeSamples('## Imports').at(-1))
  })

  it('changes the rows that a declared unique column finds', async () => {
    await work.sql`update orders set assignee = '=1+1' where id = 3`
    const text = Buffer.from(await csv('matched')).toString()
    expect(text).toContain("'=1+1")
    const edited = text.replace('"Order 1",,1.50', '"Order 1","sami, nora",7').replace('Order 12', 'Nowhere')
    const sent = await work.send(Buffer.from(edited), { table: 'matched' })
    expect(sent.json.plan.cells, sent.text).toMatchObject([
      { kind: 'change', id: 1, field: 'assignee', file: 'sami, nora' },
      { kind: 'change', id: 1, field: 'amount', file: '7' },
      { kind: 'refused', code: 'row_not_found' },
    ])
    expect((await work.apply(sent, { table: 'matched' })).json.counts).toEqual({ succeeded: 1, failed: 0 })
  })

  it('changes no row that another caller has renamed since the plan', async () => {
    const sent = await work.send(Buffer.from('Title,Assignee,Amount\nOrder 1,sami,7\nOrder 2,sami,7'), {
      table: 'matched',
    })
    await work.sql`update orders set title = case id when 1 then 'Order 2' else 'Renamed' end where id <= 2`
    const { json } = await work.apply(sent, { table: 'matched' })
    expect(json).toMatchObject({ counts: { succeeded: 0, failed: 2 }, cells: { changed: 0, refused: 2 } })
    expect(json.results).toEqual([
      expect.objectContaining({ id: 1, code: 'row_not_found' }),
      expect.objectContaining({ id: 2, code: 'row_not_found' }),
    ])
  })

  it.each(['en', 'ar'])('is read in the language of its header by a caller of the language %s', async (ln) => {
    const text = Buffer.from(await csv('matched', {}, { ln: 'ar' })).toString()
    const sent = await work.send(Buffer.from(text.replace(/لا(?=\r)/, 'نعم')), { table: 'matched', headers: { ln } })
    expect(sent.json.plan?.cells, sent.text).toMatchObject([{ kind: 'change', id: 1, field: 'flagged', file: true }])
    expect(sent.json.plan).not.toHaveProperty('ignored_columns')
  })

  it.each([
    ['an empty line', '\r\n', 'C3'],
    ['a line of separators', ';;\r\n', 'C3'],
    ['a line that names the separator', 'sep=;\r\n', 'C2'],
  ])('is read where it begins with %s', async (_, line, place) => {
    const text = Buffer.from(await csv('matched', { csv_separator: ';' })).toString()
    const edited = text.replace('\ufeff', `\ufeff${line}`).replace('1.50', '7')
    const sent = await work.send(Buffer.from(edited), { table: 'matched' })
    expect(sent.json.plan?.cells, sent.text).toMatchObject([
      { kind: 'change', id: 1, field: 'amount', place, file: '7' },
    ])
  })

  it.each([{}, { csv_raw: true }])('changes rows whose names begin like an escape, with %s', async (form) => {
    await work.sql`update orders set title = case id when 1 then '''=x' when 2 then '=y' else 'a;''=z' end where id <= 3`
    const text = Buffer.from(await csv('matched', form)).toString()
    const edited = text.replace('1.50', '7').replace('2.50', '8').replace('3.50', '9')
    const sent = await work.send(Buffer.from(edited), { table: 'matched' })
    expect(sent.json.plan.cells, text).toMatchObject([
      { kind: 'change', id: 1, field: 'amount', file: '7' },
      { kind: 'change', id: 2, field: 'amount', file: '8' },
      { kind: 'change', id: 3, field: 'amount', file: '9' },
    ])
  })

  it('is refused in the rows that two names with and without an escape may mean', async () => {
    await work.sql`update orders set title = case id when 1 then '''=x' else '=x' end where id <= 2`
    const sent = await work.send(Buffer.from("Title,Amount\r\n'=x,7\r\n=x,8"), { table: 'matched' })
    expect(sent.json.plan.cells).toMatchObject([
      { kind: 'refused', code: 'several_rows', place: '2' },
      { kind: 'change', id: 2, place: 'B3' },
    ])
  })

  it('is refused in the rows whose names may have lost zeros, if it changes them', async () => {
    await work.sql`update orders set title = (array['00123', '123', '0007', '9'])[id] where id <= 4`
    const lines = (amounts: readonly number[]) =>
      ['00123', '123', '7', '9'].map((title, index) => `${title},${amounts[index]}`).join('\r\n')
    const send = async (amounts: readonly number[]) =>
      (await work.send(Buffer.from(`Title,Amount\r\n${lines(amounts)}`), { table: 'matched' })).json.plan.cells
    expect(await send([5, 5, 5, 5])).toMatchObject([
      { kind: 'change', id: 1, place: 'B2' },
      {
        kind: 'refused',
        code: 'lost_zeros',
        place: '3',
        errors: [expect.any(String), expect.stringContaining('أصفار')],
      },
      { kind: 'refused', code: 'lost_zeros', place: '4' },
      { kind: 'change', id: 4, place: 'B5' },
    ])
    expect(await send([1.5, 2.5, 5, 4.5])).toMatchObject([{ code: 'lost_zeros', place: '4' }])
  })

  it('is refused with what to do where its first line is a title', async () => {
    const text = Buffer.from(await csv('matched')).toString()
    const sent = await work.send(Buffer.from(`All orders\r\n${text}`), { table: 'matched' })
    expect(sent.json.import.errors).toEqual([
      expect.stringContaining('no column "Title", by which rows are found; remove the lines above'),
      expect.stringContaining('احذف الأسطر'),
    ])
  })

  it('is refused where its rows that are there twice are more than it may have differences', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => `Order ${index + 1}`)
    const unknown = Array.from({ length: 49_995 }, (_, index) => `Nowhere ${index}`)
    const lines = ['Title', ...rows, ...rows, ...unknown]
    const sent = await work.send(Buffer.from(lines.join('\r\n')), { table: 'matched' })
    expect(sent.json.import).toMatchObject({ state: 'failed', code: 'import_refused' })
    expect(sent.json.import.text).toContain('more than 50,000 cells')
  })

  it('is refused where the values of its changed cells are too large to be kept, in both languages', async () => {
    // JSON writes a control character with six.
    await work.sql`update orders set assignee = repeat(chr(1), 500000) where id <= 12`
    const rows = Array.from({ length: 12 }, (_, index) => `Order ${index + 1},somebody`)
    const sent = await work.send(Buffer.from(['Title,Assignee', ...rows].join('\r\n')), { table: 'matched' })
    expect(sent.json.import).toMatchObject({ state: 'failed', code: 'import_refused' })
    expect(sent.json.import.errors).toEqual([
      expect.stringContaining('more than 64 MB; split it'),
      expect.stringContaining('أكبر من 64 ميغابايت؛ قسّمه'),
    ])
  })

  it.each([
    ['XML', '\ufeff<?xml version="1.0"?>\n<office:document/>'],
    ['HTML', '\n<!DOCTYPE html>\n<table/>'],
    ['HTML without a head', '<table><tr><td>1</td></tr></table>'],
    ['JSON', '[\n  { "title": "Order 1" }\n]'],
    ['PDF', '%PDF-1.7\n%\xe2\xe3'],
  ])('is refused as unreadable where it is %s', async (_, text) => {
    const sent = await work.send(Buffer.from(text, 'utf8'), { table: 'matched' })
    expect(sent.json.import).toMatchObject({ state: 'failed', code: 'import_unreadable' })
  })

  const longCell = 'x'.repeat(1_000_001)
  it.each<[string, Buffer, string]>([
    ['is in Latin-1', Buffer.from('Title\r\nM\xfcller\r\n', 'latin1'), 'save it as "CSV UTF-8"'],
    ['is in UTF-16', Buffer.from('\ufeffTitle\r\nOrder 1\r\n', 'utf16le'), 'save it as "CSV UTF-8"'],
    ['has a cell of a million characters in quotes', Buffer.from(`Title\r\n"${longCell}"\r\n`), 'close its quotes'],
    ['has a quote that nothing closes', Buffer.from(`Title\r\n"${longCell}`), 'quotes of its line 2 do not fit'],
    ['has text behind a closing quote', Buffer.from('Title\r\n"Big" Joe\r\n'), 'quotes of its line 2 do not fit'],
    [
      'has a quote within a cell without quotes',
      Buffer.from('Title\r\nSize 5"\r\n'),
      'quotes of its line 2 do not fit',
    ],
    ['has a cell of a million quotes', Buffer.from(`Title\r\n${'"'.repeat(2_000_004)}`), 'close its quotes'],
  ])('is refused where it %s, in both languages', async (_, bytes, text) => {
    const sent = await work.send(bytes, { table: 'matched' })
    expect(sent.json.import).toMatchObject({ state: 'failed', code: 'import_refused' })
    expect(sent.json.import.errors).toEqual([expect.stringContaining(text), expect.stringMatching(/أعد إرسال/)])
  })
})
