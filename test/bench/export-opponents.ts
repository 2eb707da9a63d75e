import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDeflateRaw } from 'node:zlib'
import exceljs from 'exceljs'
import type { Sql } from 'postgres'
import { placesSql } from './by-hand.ts'

const places = 'f.origin, o.city, o.state, f.destination, d.city, d.state, f.delay, f.distance'
const rows = (date: string, until: string) =>
  `select ${date}, ${places} from flights f ${placesSql} where f.date < date '${until}' + 1 order by f.date desc, f.id desc`

const toTyped = (until: string) => rows(`date_part('epoch', f.date) / 86400 + 25569`, until)

const exportHeadings = [
  'Departure',
  'From',
  'From city',
  'From state',
  'To',
  'To city',
  'To state',
  'Delay (min)',
  'Distance (mi)',
]

/** Postgres's own CSV of the same cells. */
export async function copyCsv(sql: Sql, until: string, out: Writable): Promise<void> {
  const statement = `copy (${rows(`to_char(f.date, 'YYYY-MM-DD HH24:MI')`, until)}) to stdout (format csv)`
  await pipeline(await sql.unsafe(statement).readable(), out)
}

type Cells = readonly (string | number | null)[]

const batches = (sql: Sql, until: string) => sql.unsafe(toTyped(until)).values().cursor(2_000) as AsyncIterable<Cells[]>

const letters = [...'ABCDEFGHI']
const specials = /[&<>]/
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escapeXml = (text: string): string =>
  specials.test(text) ? text.replace(/[&<>]/g, (character) => entities[character] ?? '') : text

function rowXml(cells: Cells, number: number): string {
  let xml = `<row r="${number}">`
  for (let index = 0; index < cells.length; index++) {
    const cell = cells[index]
    if (cell === null || cell === undefined) continue
    xml +=
      typeof cell === 'number'
        ? `<c r="${letters[index]}${number}" s="${index === 0 ? 1 : 2}"><v>${cell}</v></c>`
        : `<c r="${letters[index]}${number}" s="3" t="str"><v>${escapeXml(cell)}</v></c>`
  }
  return `${xml}</row>`
}

const chunk = 64 * 1_024

/**
 * The practical limit: the same rows as the XML of one sheet, written by hand, through zlib level 1; no zip around it.
 */
export async function handMadeSheet(sql: Sql, until: string, out: Writable): Promise<void> {
  const deflate = createDeflateRaw({ level: 1 })
  const delivered = pipeline(deflate, out)
  let xml = `<?xml version="1.0" encoding="UTF-8"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rowXml(exportHeadings, 1)}`
  let number = 1
  for await (const batch of batches(sql, until)) {
    for (const cells of batch) {
      number += 1
      xml += rowXml(cells, number)
      if (xml.length < chunk) continue
      const ready = deflate.write(xml)
      xml = ''
      if (!ready) await once(deflate, 'drain')
    }
  }
  deflate.end(`${xml}</sheetData></worksheet>`)
  await delivered
}

/** exceljs as its own documentation uses it: a style for each column, shared strings, an object for each row. */
export async function usualWorkbook(sql: Sql, until: string, out: Writable): Promise<void> {
  const workbook = new exceljs.stream.xlsx.WorkbookWriter({ stream: out, useStyles: true, useSharedStrings: true })
  const sheet = workbook.addWorksheet('Flights')
  sheet.columns = exportHeadings.map((header, index) => ({
    header,
    key: header,
    width: 15,
    style: { numFmt: index === 0 ? 'yyyy-mm-dd hh:mm' : index < 7 ? '@' : '0' },
  }))
  for await (const batch of batches(sql, until)) {
    for (const cells of batch) {
      sheet.addRow(Object.fromEntries(cells.map((cell, index) => [exportHeadings[index], cell]))).commit()
    }
  }
  await workbook.commit()
}
