import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'

const whole = await startWorkApi()
const proxy = await startTcpProxy({ target: whole.databaseUrl })
// 1,000 lines with both forms of their actions are 5 MB.
const api = whole.variant({ DATABASE_URL: proxy.url(), ITEM_ACTIONS: 'row' })

beforeEach(() => whole.reset())
afterAll(proxy.close)

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/**
 * The fewest waits for the database during some equal requests, once their statements are prepared: where a slow
 * machine cuts a long message in two, one wait looks like two.
 */
async function warmRoundTrips(
  path: string,
  body: object,
  headers: () => Readonly<Record<string, string>> = () => ({}),
) {
  for (let run = 0; run < 3; run++) {
    const response = await api.post(path, body, { headers: headers() })
    expect(response.status, response.text).toBe(200)
  }
  const waits: number[] = []
  for (let run = 0; run < 3; run++) {
    const before = proxy.roundTrips()
    await api.post(path, body, { headers: headers() })
    waits.push(proxy.roundTrips() - before)
  }
  return Math.min(...waits)
}

const rowBulk = (action: string, count: number) =>
  warmRoundTrips(`row-bulk-table-action/lines/${action}`, { selected_ids: upTo(count) })

describe('a warm action waits for the database', () => {
  it('waits at most three times on one row: to lock it, to change it and read it again, and to commit', async () => {
    expect(await warmRoundTrips('row-table-action/orders/count/2', {})).toBeLessThanOrEqual(3)
  })

  it('a warm action with an Idempotency-Key waits for the database at most twice more', async () => {
    let key = 0
    const headers = () => ({ 'idempotency-key': String(key++) })
    expect(await warmRoundTrips('row-table-action/orders/count/2', {}, headers)).toBeLessThanOrEqual(5)
  })

  it('waits as often on 1,000 rows at once as on one', async () => {
    const one = await rowBulk('hit', 1)
    const thousand = await rowBulk('hit', 1_000)
    expect(thousand).toBe(one)
    expect(one).toBeLessThanOrEqual(7)
  })

  it('does not wait for code without statements on 1,000 rows one by one', async () => {
    expect(await rowBulk('look', 1_000)).toBe(await rowBulk('look', 1))
  })

  it('waits at most once more for each row than its code does', async () => {
    const ten = await rowBulk('hit_each', 10)
    const hundred = await rowBulk('hit_each', 100)
    expect(hundred - ten).toBeLessThanOrEqual(2 * 90)
  })

  it('waits a constant number of times for each chunk', async () => {
    const process = (count: number) =>
      warmRoundTrips('bulk-table-action/lines/process', { filters: [{ field: 'id', operator: '<=', value: count }] })
    const one = await process(250)
    const twelve = await process(3_000)
    // Several chunks are locked together first.
    expect(twelve - one).toBeLessThanOrEqual(11 * 3 + 1)
  })
})

describe('an action that is refused before its row is looked at', () => {
  it('waits only to write down that it was', async () => {
    const postRefused = () => api.post('row-bulk-table-action/lines/hit', { selected_ids: [] })
    for (let run = 0; run < 3; run++) expect((await postRefused()).status).toBe(422)
    const before = proxy.roundTrips()
    await postRefused()
    expect(proxy.roundTrips() - before).toBeLessThanOrEqual(3)
  })
})
