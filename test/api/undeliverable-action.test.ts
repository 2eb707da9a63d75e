import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders, oneMore, orderColumns } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import type { ApiResponse } from '../support/requests/api.ts'

/** The most bytes of a function's result, as the JSON text that Lambda gets. */
const maxResultBytes = 6_291_556

const talkative = defineFixture({
  ...ofOrders,
  name: 'talkative',
  columns: orderColumns,
  params: z.object({ letters: z.int().default(0) }),
  bindings: { state: ({ params }) => [{ value: 'all', label: 'x'.repeat(params.letters) }] },
  rowActions: {
    recite: {
      form: z.object({ letters: z.int() }),
      run: async ({ db, row, input }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
        return { data: { text: 'x'.repeat(input.letters) } }
      },
    },
  },
})

const origin = 'https://app.example.test'
const whole = await startWorkApi({ ALLOWED_ORIGINS: origin })
const api = whole.variant({}, createRegistry([talkative], { claims: fixtureClaims }))
beforeEach(() => whole.reset())

const recite = (letters: number, headers: Readonly<Record<string, string>> = {}) =>
  api.post('row-table-action/talkative/recite/2', { letters }, { headers: { origin, ...headers } })

const resultBytes = ({ status: statusCode, headers, text: body }: ApiResponse): number =>
  Buffer.byteLength(JSON.stringify({ statusCode, headers, body }))

interface Probe {
  readonly letters: number
  readonly status: number
  readonly bytes: number
  /** How often the action had run on the row by then. */
  readonly runs: number
}

/**
 * Halves the distance between a response that is delivered and one that is too large until they differ by one letter.
 * Begins at a likely limit, because each probe sends 6 MB: the search takes 8 of them instead of 15.
 */
async function findLargest(
  ask: (letters: number) => Promise<ApiResponse>,
  likelySpareBytes: number,
): Promise<readonly Probe[]> {
  const probes: Probe[] = []
  const probe = async (letters: number): Promise<Probe> => {
    const response = await ask(letters)
    const [runs = 0] = await whole.runs(2)
    const made = { letters, status: response.status, bytes: resultBytes(response), runs }
    probes.push(made)
    return made
  }
  const most = maxResultBytes - (await probe(0)).bytes
  let step = 16
  let fits = most - likelySpareBytes - step
  let tooLarge = most - likelySpareBytes + step
  while ((await probe(fits)).status !== 200) {
    expect(fits).toBeGreaterThan(most - 8_000)
    step *= 4
    fits -= step
  }
  while ((await probe(tooLarge)).status === 200) {
    expect(tooLarge).toBeLessThan(most + 1_000)
    step *= 4
    tooLarge += step
  }
  while (tooLarge - fits > 1) {
    const letters = Math.floor((fits + tooLarge) / 2)
    if ((await probe(letters)).status === 200) fits = letters
    else tooLarge = letters
  }
  return probes
}

let ofAction: Promise<readonly Probe[]> | undefined

/** Asks for two tests at once: each search sends 50 MB. */
const probeAction = (): Promise<readonly Probe[]> => {
  ofAction ??= findLargest(recite, 3_710)
  return ofAction
}

describe('an action whose response is too large to be delivered', () => {
  it('is undone', async () => {
    expectFailure(await recite(7_000_000), { status: 422, code: 'response_too_large' })
    expect(await whole.runs(2)).toEqual([0])
    expect((await whole.audit()).map(({ outcome }) => outcome)).toEqual(['response_too_large'])
  })

  it('is undone from the first byte that is too many', async () => {
    let delivered = 0
    for (const { letters, status, runs } of await probeAction()) {
      if (status === 200) delivered += 1
      expect(runs, `${letters} letters: ${status}`).toBe(delivered)
    }
  })
})

describe('the largest response that is delivered', () => {
  const probePage = () =>
    findLargest((letters) => api.post('query-table/talkative', { params: { letters } }, { headers: { origin } }), 2_450)

  it.each([
    ['an action', probeAction],
    ['a page', probePage],
  ])('has room for the headers that are added last: %s', async (_, probe) => {
    for (const { letters, bytes } of await probe()) expect(bytes, `${letters} letters`).toBeLessThan(maxResultBytes)
  })
})

describe('the first response to an Idempotency-Key that is too large for the client that repeats the request', () => {
  const headers = { 'idempotency-key': 'one' }

  it('is shortened, and still says that the change was saved', async () => {
    const first = await recite(7_000_000, { ...headers, 'accept-encoding': 'br' })
    expect([first.status, first.json.data.text.length]).toEqual([200, 7_000_000])
    const again = await recite(7_000_000, headers)
    expect(again.status).toBe(200)
    expect(again.headers).toHaveProperty('idempotency-replayed')
    expect(again.json).toEqual({ success: true, onSuccess: 'reload', message: first.json.message })
    expect(await whole.runs(2)).toEqual([1])
  })

  it('is whole for a client that accepts compression', async () => {
    const accepting = { ...headers, 'accept-encoding': 'gzip' }
    const first = await recite(7_000_000, accepting)
    expect((await recite(7_000_000, accepting)).text).toBe(first.text)
  })
})
