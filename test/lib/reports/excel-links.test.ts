import { afterAll, expect, it } from 'vitest'
import { openDatabase } from '../db/open-database.ts'
import { parcelReport, reportBytes, startParcelDatabase } from './parcel-reports.ts'
import { sheetXml } from './workbook.ts'

const parcels = await startParcelDatabase()
afterAll(parcels.stop)

/** Excel opens no sheet with more. */
const maxLinks = 65_530
/** Each row has two links, and the last one those that are too many. */
const rowCount = maxLinks / 2 + 1

it('has as many links as Excel takes of a sheet, and after that their addresses as text', async () => {
  await parcels.sql`insert into parcels (id, address) select n, 'https://a.test/' || n from generate_series(1, ${rowCount}) n`
  const request = parcelReport({ table: 'authored', columns: ['anchor', 'address'] })
  const xml = sheetXml(await reportBytes(openDatabase(parcels.url), request))
  expect(xml.split('<hyperlink ')).toHaveLength(1 + maxLinks)
  const readRow = (number: number) => {
    const row = xml.slice(xml.indexOf(`<row r="${number}"`), xml.indexOf(`<row r="${number + 1}"`))
    return [...row.matchAll(/<v>([^<]*)/g)].map(([, text]) => text)
  }
  expect(readRow(rowCount)).toEqual(['Go', `https://a.test/${rowCount - 1}`])
  expect(readRow(rowCount + 1)).toEqual([`Go (https://a.test/${rowCount})`, `https://a.test/${rowCount}`])
  expect(xml).not.toMatch(new RegExp(`<hyperlink ref="[AB]${rowCount + 1}"`))
})
