import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { startParcelService } from '../support/parcels/parcel-service.ts'
import { parcelSortables } from '../support/parcels/parcel-table.ts'

const service = await startParcelService()
afterAll(() => service.stop())

/** Requests that differ in sorts, page size and depth, and each come twice. */
const asked = Number(process.env['VARIED_PAGES'] ?? 160)

it('lets varied pages fill neither the prepared statements nor the memory of a backend', async () => {
  const { length } = parcelSortables
  for (let n = 0; n < asked; n += 1) {
    const shape = n >> 1
    const sorts = [0, 1, 2].map((place) => ({
      field: parcelSortables[Math.floor(shape / length ** place) % length],
      direction: (shape >> place) % 2 === 0 ? 'asc' : 'desc',
    }))
    const body = { sorts, perPage: 1 + (shape % 100), page: 1 + (shape % 7) }
    const { status } = await service.api.post('query-table/parcels', body)
    expect(status).toBe(200)
  }
  const [[count] = []] = await service.database.read('select count(*)::int from pg_prepared_statements', [])
  expect(count).toBeGreaterThan(0)
  expect(count).toBeLessThanOrEqual(33)
  // Only Linux tells the memory of another process.
  if (process.platform !== 'linux') return
  const [[pid] = []] = await service.database.read('select pg_backend_pid()', [])
  const [, kilobytes] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (process.env['VARIED_PAGES']) console.log({ asked, count, kilobytes })
  expect(Number(kilobytes)).toBeLessThan(10 * 1024)
})
