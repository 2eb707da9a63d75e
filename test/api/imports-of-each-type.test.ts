import {
  bigint,
  char,
  date,
  doublePrecision,
  integer,
  numeric,
  pgTable,
  real,
  text,
  time,
  timestamp,
} from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { createImportCalls, editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'
import { editParts, replaceText } from './refused-files.ts'

const readings = pgTable('readings', {
  id: integer().primaryKey(),
  code: text().notNull(),
  state: text(),
  body: text(),
  double: doublePrecision(),
  single: real(),
  exact: numeric(),
  day: date({ mode: 'string' }),
  local: timestamp({ mode: 'string' }),
  moment: timestamp({ mode: 'string', withTimezone: true }),
  note: text(),
  clock: time(),
  big: bigint({ mode: 'bigint' }),
})

const editable = true
const readingsIn = (timeZone: string) =>
  defineFixture({
    name: 'readings',
    from: readings,
    key: 'id',
    scope: () => everyRow(),
    timeZone,
    matchImportsBy: 'code',
    columns: {
      code: { label: 'Code' },
      state: { label: 'State', values: { lost: { label: 'Gone' }, stolen: { label: 'Gone' } }, editable },
      body: { label: 'Body', type: 'html', editable },
      double: { label: 'Double', editable },
      single: { label: 'Single', editable },
      exact: { label: 'Exact', editable },
      day: { label: 'Day', pattern: 'dd/MM/yyyy', editable },
      local: { label: 'Local', editable },
      moment: { label: 'Moment', editable },
      note: { label: 'Note', editable },
      clock: { label: 'Clock', editable },
      big: { label: 'Big', editable },
    },
    bulkActions: { export_csv: { export: 'csv', response: 'instant' } },
  })

const meters = pgTable('meters', {
  id: integer().primaryKey(),
  serial: bigint({ mode: 'bigint' }).notNull(),
  mark: char({ length: 8 }).notNull(),
  note: text(),
})

const metersBy = (matchImportsBy: 'serial' | 'mark') =>
  defineFixture({
    name: `meters_by_${matchImportsBy}`,
    from: meters,
    key: 'id',
    scope: () => everyRow(),
    matchImportsBy,
    columns: { serial: { label: 'Serial' }, mark: { label: 'Mark' }, note: { label: 'Note', editable } },
    bulkActions: { export_csv: { export: 'csv', response: 'instant' } },
  })

const work = await startImportApi(
  createRegistry([readingsIn('Europe/Berlin'), metersBy('serial'), metersBy('mark')], { claims: fixtureClaims }),
)
await work.sql.unsafe(`
  create table readings (id integer primary key, code text unique, state text, body text, double float8, single real,
    exact numeric, day date, local timestamp, moment timestamptz, note text,
    clock time default '20:05', big bigint default 1234567890123456789);
  create table meters (id integer primary key, serial bigint unique, mark char(8) unique, note text);
  insert into meters values (1, 9223372036854775807, 'a', 'one'), (2, -9223372036854775808, 'b', 'two');
  grant all on readings, meters to public;
  insert into readings values
    (1, 'a', 'lost', '<p></p>', 1e-7, 1e-7, 1e-7, '0099-01-01', '1850-06-01 10:11:12.5', '2026-10-25 00:30Z', '=1+1'),
    (2, 'b', 'stolen', '<b>Big</b>', 1e21, 1.1e20, 1e21, '10000-01-01', '12000-01-01', '2026-10-25 01:30Z', '''=1+1'),
    (3, 'c', null, '', 'NaN', 'Infinity', 'NaN', 'infinity', 'infinity', '-infinity', ''),
    (4, 'd', 'other', null, 0.1, 0.1, 0.10, '0044-03-15 BC', '0044-03-15 10:00 BC', '0044-03-15 10:00Z BC', E'a\\rb'),
    (5, 'e', null, null, 123456789.123456789, 16777217, 123456789.123456789, null, null, '1800-01-01 00:30Z', null),
    (6, 'f', null, null, null, null, null, null, null, null, E'a\\n=1+1\\n- b\\r\\n-5\\r''@c\\n''=2;            =3')`)

// A caller may have 20 imports at once.
beforeEach(() => work.sql`delete from table_control.imports`)

const table = 'readings'

const exportCsv = async (form: object = {}, name = table) => {
  const { bytes } = await work.post(`bulk-table-action/${name}/export_csv`, form, { headers: { accept: 'text/csv' } })
  return Buffer.from(bytes).toString()
}

describe('a cell of a CSV file that nobody edited', () => {
  it.each([{}, { csv_separator: ';' }, { csv_raw: true }])('is neither changed nor refused, with %s', async (form) => {
    const { json } = await work.send(Buffer.from(await exportCsv(form)), { table })
    expect(json.plan?.cells, JSON.stringify(json)).toEqual([])
    expect(json.plan.rows).toBe(6)
  })

  it('stays as it is where another cell of its row is changed', async () => {
    const edited = (await exportCsv()).replace("'=1+1", 'Edited')
    const sent = await work.send(Buffer.from(edited), { table })
    expect(sent.json.plan.cells).toMatchObject([{ kind: 'change', id: 1, field: 'note', file: 'Edited' }])
    expect((await work.apply(sent, { table })).json.cells).toEqual({ changed: 1, refused: 0 })
    const [row] = await work.sql`select moment, double::text, body, note from readings where id = 1`
    expect(row).toEqual({
      moment: new Date('2026-10-25T00:30:00Z'),
      double: '1e-07',
      body: '<p></p>',
      note: 'Edited',
    })
  })
})

describe('a number of a workbook', () => {
  it.each([
    [7e-7, '0.0000007'],
    [-2.5e-9, '-0.0000000025'],
    [1.5e-25, '0.00000000000000000000000015'],
    [-999_999_999_999_999, '-999999999999999'],
    [0.1 + 0.2, '0.3'],
  ])('is stored as the same number in any column: %d', async (value, digits) => {
    const edited = await editSheet(await work.exportRows({}, { table }), (sheet) => {
      for (const header of ['Double', 'Exact', 'Note']) findCell(sheet, header, 5).value = value
    })
    const sent = await work.send(edited, { table })
    expect(sent.json.plan.counts, sent.text).toEqual({ change: 3, conflict: 0, refused: 0 })
    await work.apply(sent, { table })
    const [row] = await work.sql`select double, exact::text, note from readings where id = 4`
    expect(row).toEqual({ double: value, exact: digits, note: digits })
  })

  it.each([1_234_567_890_123_456, -1e15, 1e21])(
    'is refused where its digits may be lost, but in columns of floats: %d',
    async (value) => {
      const edited = await editSheet(await work.exportRows({}, { table }), (sheet) => {
        for (const header of ['Double', 'Exact', 'Note']) findCell(sheet, header, 5).value = value
      })
      const { json } = await work.send(edited, { table })
      expect(json.plan.cells).toMatchObject([
        { kind: 'change', field: 'double', file: value },
        { kind: 'refused', field: 'exact', code: 'too_many_digits' },
        {
          kind: 'refused',
          field: 'note',
          code: 'too_many_digits',
          errors: [expect.stringContaining('format the cell as text'), expect.stringContaining('نصًا')],
        },
      ])
    },
  )

  it('is stored with each digit where it was written as a text', async () => {
    const edited = await editSheet(await work.exportRows({}, { table }), (sheet) => {
      for (const header of ['Exact', 'Note']) findCell(sheet, header, 5).value = '1234567890123456789'
    })
    await work.apply(await work.send(edited, { table }), { table })
    const [row] = await work.sql`select exact::text, note from readings where id = 4`
    expect(row).toEqual({ exact: '1234567890123456789', note: '1234567890123456789' })
  })
})

it('a decimal of a workbook is shown with up to 18 places', async () => {
  await editSheet(await work.exportRows({}, { table }), (sheet) => {
    expect(findCell(sheet, 'Exact', 2).numFmt).toBe('#,##0.0#################')
  })
})

describe('a number of a CSV file', () => {
  const planNumbers = async (double: string, exact: string) => {
    await work.sql`update readings set double = 3.141592653589793, exact = 1000000.123456789012 where id = 5`
    const csv = `Code,Double,Exact\r\ne,${double},${exact}`
    return (await work.send(Buffer.from(csv), { table })).json.plan.cells
  }

  it('is the present one with the 15 digits that programs save', async () => {
    for (const exact of ['1000000.12345679', '"1,00000012345679E+006"'])
      expect(await planNumbers('3.14159265358979', exact)).toEqual([])
  })

  it('is refused by the plan where the four bytes of its column do not hold it', async () => {
    const { json } = await work.send(Buffer.from('Code,Single\r\ne,1E300\r\nf,1E-60'), { table })
    const refused = { kind: 'refused', field: 'single', code: 'validation_failed' }
    expect(json.plan.cells).toMatchObject([refused, refused])
  })

  it('is a change where the cell of a zero was emptied', async () => {
    await work.sql`update readings set exact = 0 where id = 6`
    const { json } = await work.send(Buffer.from('Code,Exact\r\nf,'), { table })
    expect(json.plan.cells).toMatchObject([{ kind: 'change', field: 'exact', file: null, now: '0' }])
  })

  it('is the present one with the 15 digits of a whole number', async () => {
    const csv = 'Code,Big\r\ne,1234567890123460000\r\nf,1234567890123470000'
    const { json } = await work.send(Buffer.from(csv), { table })
    expect(json.plan.cells).toMatchObject([{ kind: 'change', id: 6, field: 'big', file: '1234567890123470000' }])
  })

  it('is a change with a digit of its own among the first 15', async () => {
    expect(await planNumbers('3.14159265358978', '1000000.1234568')).toMatchObject([
      { kind: 'change', field: 'double', file: 3.141_592_653_589_78 },
      { kind: 'change', field: 'exact', file: '1000000.1234568' },
    ])
  })

  it('has an exponent in columns of floats alone', async () => {
    expect(await planNumbers('1E+300', '1E+3')).toMatchObject([
      { kind: 'change', field: 'double', file: 1e300 },
      {
        kind: 'refused',
        field: 'exact',
        errors: [expect.stringContaining('or an exponent'), expect.stringContaining('أسّية')],
      },
    ])
  })
})

describe('a time of a file', () => {
  const planClock = async (clock: string) => {
    const csv = (await exportCsv()).replace('20:05:00', clock)
    return (await work.send(Buffer.from(csv), { table })).json.plan.cells
  }
  const planSerial = async (format: string, serial: number) => {
    const edited = await editSheet(await work.exportRows({}, { table }), (sheet) => {
      const cell = findCell(sheet, 'Clock', 2)
      cell.value = serial
      cell.numFmt = format
    })
    return (await work.send(edited, { table })).json.plan.cells
  }

  it.each(['8:05:00 PM', '8:05 pm', '8:05\u202fPM', '08:05:00 م', '٢٠:٠٥', '\u200f20:05'])(
    'is the same time however it is written: %s',
    async (clock) => {
      expect(await planClock(clock)).toEqual([])
    },
  )

  it.each([
    ['08:30', '08:30:00'],
    ['12:00:00 AM', '00:00:00'],
    ['12:15 ص', '00:15:00'],
    ['23:59:59.5', '23:59:59.5'],
    ['24:00', '24:00:00'],
  ])('is planned as Postgres writes it: %s', async (clock, file) => {
    expect(await planClock(clock)).toMatchObject([{ kind: 'change', id: 1, field: 'clock', file, now: '20:05:00' }])
  })

  it.each([
    ['08:30:00', 'h:mm', 8.5 / 24],
    ['00:00:00', 'hh:mm:ss', 0],
    ['10:10:10', '[$-409]h:mm:ss AM/PM', 0.423726851851852],
    ['23:59:59.5', 'mm:ss.0', 1 - 0.5 / 86_400],
  ])('is the time of the spreadsheet: %s as %s', async (file, format, serial) => {
    expect(await planSerial(format, serial)).toMatchObject([{ kind: 'change', id: 1, field: 'clock', file }])
  })

  it.each([46_143.4375, 1, -0.25, 0.999_999_999_9])('is no moment of another day: %d', async (serial) => {
    expect(await planSerial('h:mm', serial)).toMatchObject([{ kind: 'refused', field: 'clock', code: 'not_a_text' }])
  })

  it.each(['25:00', '13:00 PM', '0.645833333333333', 'noon', '08:30+03'])(
    'is refused by the plan: %s',
    async (clock) => {
      expect(await planClock(clock)).toMatchObject([
        {
          kind: 'refused',
          field: 'clock',
          code: 'validation_failed',
          errors: ['must be a time such as 08:00:00', expect.stringContaining('08:00:00')],
        },
      ])
    },
  )
})

describe('a date of a workbook', () => {
  const plan = async (format: string, value = 46_143.4375) => {
    const edited = await editSheet(await work.exportRows({}, { table }), (sheet) => {
      for (const header of ['Double', 'Note', 'Moment']) {
        const cell = findCell(sheet, header, 6)
        cell.value = value
        cell.numFmt = format
      }
    })
    return (await work.send(edited, { table })).json.plan.cells
  }

  it.each(['dd/mm/yyyy', 'mm-dd-yy', 'h:mm', '[$-2000401]d mmmm yyyy;@', '[h]:mm:ss'])(
    'is refused in a column of numbers or texts where it is shown as %s',
    async (format) => {
      expect(await plan(format)).toMatchObject([
        { kind: 'refused', field: 'double', code: 'not_a_number' },
        { kind: 'change', field: 'moment', file: '2026-05-01T10:30:00' },
        {
          kind: 'refused',
          field: 'note',
          code: 'not_a_text',
          errors: [expect.stringContaining('format the cell as text'), expect.stringContaining('تاريخ')],
        },
      ])
    },
  )

  it.each(['General', '@', '#,##0.00 "days"', '[Red]0.00\\ \\d', '_-* #,##0.00_-'])(
    'is a number in each column where it is shown as %s',
    async (format) => {
      const changes = [46_143.4375, '2026-05-01T10:30:00', '46143.4375'].map((file) => ({ kind: 'change', file }))
      expect(await plan(format)).toMatchObject(changes)
    },
  )

  it('is no year that was typed into a cell which nothing shows as a date', async () => {
    expect((await plan('General', 2026))[1]).toMatchObject({ field: 'moment', code: 'not_a_date' })
  })

  it.each(['0%', '#,##0.0\\ %'])('is no percentage, which is refused in each column, as %s', async (format) => {
    const errors = [expect.stringContaining('hundredth'), expect.stringContaining('نسبة مئوية')]
    const refused = { kind: 'refused', code: 'percentage', errors }
    expect(await plan(format, 0.15)).toMatchObject([refused, refused, refused])
  })

  it.each([
    ['', ''],
    ['.000', ''],
    ['Z', ''],
    ['', ' date1904="1"'],
  ])('is the same where a strict workbook writes it as a text with "%s"%s', async (end, attribute) => {
    await work.sql`update readings set (day, local, moment) = ('2026-11-26', '2026-11-26 13:45:59', '2026-11-26Z')
      where id = 6`
    const toIso = (serial: string) =>
      new Date(Math.round((Number(serial) - 25_569) * 86_400) * 1_000).toISOString().slice(0, 19) + end
    const strict = await editParts(await work.exportRows({}, { table }), async (zip) => {
      const part = 'xl/worksheets/sheet1.xml'
      const xml = (await zip.file(part)?.async('text')) ?? ''
      const cell = /<c r="([GHI]7)" s="(\d+)"><v>([\d.]+)</g
      expect(xml.match(cell)).toHaveLength(3)
      zip.file(
        part,
        xml.replace(cell, (_, place, style, serial) => `<c r="${place}" s="${style}" t="d"><v>${toIso(serial)}<`),
      )
      await replaceText(zip, 'xl/workbook.xml', '<workbookPr', `<workbookPr${attribute}`)
    })
    const { json } = await work.send(strict, { table })
    expect(
      json.plan?.cells.filter(({ id }: { id: number }) => id === 6),
      JSON.stringify(json),
    ).toEqual([])
  })

  describe('in a table that gets another time zone', () => {
    const other = createImportCalls(
      work.variant({}, createRegistry([readingsIn('Asia/Riyadh')], { claims: fixtureClaims })),
      () => work.work(),
    )
    const editMoment = (bytes: Buffer) =>
      editSheet(bytes, (sheet) => {
        findCell(sheet, 'Moment', 6).value = new Date('2026-07-01T10:30:00Z')
      })
    const readMoment = async () => (await work.sql`select moment from readings where id = 5`)[0]?.['moment']

    it('is a moment of the time zone in which the workbook was exported', async () => {
      const sent = await work.send(await editMoment(await other.exportRows({}, { table })), { table })
      expect(sent.json.plan.cells).toMatchObject([{ kind: 'change', file: '2026-07-01T07:30:00Z' }])
      await work.apply(sent, { table })
      expect(await readMoment()).toEqual(new Date('2026-07-01T07:30:00Z'))
    })

    it('is a moment of the time zone in which the caller has seen the plan', async () => {
      const sent = await work.send(await editMoment(await work.exportRows({}, { table })), { table })
      expect(Object.keys(sent.json.plan.cells[0])).not.toContain('zone')
      expect((await other.apply(sent, { table })).json.cells).toEqual({ changed: 1, refused: 0 })
      expect(await readMoment()).toEqual(new Date('2026-07-01T08:30:00Z'))
    })
  })
})

it.each(['serial', 'mark'])(
  'the rows of a CSV file are found by a column of large or padded values: %s',
  async (column) => {
    const name = `meters_by_${column}`
    const sent = await work.send(Buffer.from((await exportCsv({}, name)).replace('one', 'first')), { table: name })
    expect(sent.json.plan, JSON.stringify(sent.json)).toMatchObject({ rows: 2, cells: [{ id: 1, file: 'first' }] })
  },
)
