import { afterAll, expect, it } from 'vitest'
import { isSharedTimeZone, zoneOffset } from '../../lib/i18n/time-zone.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const work = await startWorkApi()
afterAll(() => work.stop())

it('a time zone that a table may name is one that Postgres reads as the service does', async () => {
  const known = await work.sql`select name from pg_timezone_names union select abbrev from pg_timezone_abbrevs`
  const names = [...known.map(({ name }) => String(name)), ...Intl.supportedValuesOf('timeZone')].filter(
    isSharedTimeZone,
  )
  expect(names).toEqual(expect.arrayContaining(['UTC', 'GMT', 'Asia/Riyadh', 'Etc/GMT-3', 'Singapore', 'EST5EDT']))
  for (const moment of ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z']) {
    const read = await work.sql`
      select name, extract(epoch from ${moment}::timestamptz at time zone name - ${moment}::timestamptz at time zone 'UTC')::int as seconds
      from unnest(${names}::text[]) name`
    for (const { name, seconds } of read)
      expect([name, seconds * 1_000]).toEqual([name, zoneOffset(Date.parse(moment), name)])
  }
})
