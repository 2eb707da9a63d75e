import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { lines } from '../support/fixtures/work-schema.ts'

/** How many files have been begun, and what each waits for before it is written. */
let begun = 0
let gate: Promise<void> = Promise.resolve()

/** Closes the gate; the result opens it. */
function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  return resolve
}

const gated = defineFixture({
  name: 'gated',
  from: lines,
  key: 'id',
  scope: everyRow,
  columns: {
    id: { label: 'ID' },
    late: {
      label: 'Late',
      load: async (rows) => {
        begun += 1
        await gate
        return rows.map(() => 'late')
      },
    },
  },
  filters: { id: { type: 'number' } },
  bulkActions: {
    export_link: { export: 'csv' },
    export_file: { export: 'csv', deliver: 'file' },
    export_note: { export: 'csv', response: 'notification' },
  },
})

const whole = await startDeliveringApi({ DATABASE_CONNECTIONS: '5' })
const registry = createRegistry([gated], { claims: fixtureClaims })
const api = whole.variant({}, registry)
beforeEach(async () => {
  begun = 0
  gate = Promise.resolve()
  await whole.reset()
})

const asked = { filters: [{ field: 'id', operator: '<=', value: 3 }], expected_count: 3 }
const exportWithKey = (action: string, key = 'one', body: object = asked, through = api) =>
  through.post(`bulk-table-action/gated/${action}`, body, { headers: { 'idempotency-key': key } })
const keys = () => whole.sql`select response from table_control.idempotency_keys`

describe('a request that is repeated while the first one is building its file', () => {
  it.each(['export_link', 'export_note'])(
    'waits for its response, even if the rows have changed by then: %s',
    async (action) => {
      const openGate = closeGate()
      const first = exportWithKey(action)
      await expect.poll(() => begun).toBe(1)
      await whole.sql`delete from lines where id = 2`
      const again = exportWithKey(action)
      expectFailure(await exportWithKey(action, 'two'), { status: 422, code: 'unexpected_count' })
      openGate()
      expect((await first).status).toBe(200)
      expect((await again).text).toBe((await first).text)
      expect((await again).headers).toHaveProperty('idempotency-replayed')
      expect(begun).toBe(1)
      expect(await whole.sql`select from table_control.downloads`).toHaveLength(1)
    },
  )

  it('must try again if building takes longer than it can wait', async () => {
    const openGate = closeGate()
    const first = exportWithKey('export_link')
    await expect.poll(() => begun).toBe(1)
    const hasty = whole.variant({ REQUEST_DEADLINE_MS: '4000' }, registry)
    expectFailure(await exportWithKey('export_link', 'one', asked, hasty), {
      status: 409,
      code: 'idempotency_in_progress',
    })
    expectFailure(await exportWithKey('export_link', 'one', {}), { status: 422, code: 'idempotency_key_reused' })
    openGate()
    expect((await first).status).toBe(200)
    expect(begun).toBe(1)
  })

  it('builds the file again after the first one has sent it, because no file is kept', async () => {
    const openGate = closeGate()
    const first = exportWithKey('export_file')
    await expect.poll(() => begun).toBe(1)
    const again = exportWithKey('export_file')
    openGate()
    expect([(await first).status, (await again).status]).toEqual([200, 200])
    expect((await again).text).toBe((await first).text)
    expect(begun).toBe(2)
    expect(await keys()).toEqual([{ response: null }])
  })
})

describe('the Idempotency-Key of an export', () => {
  it('is free again where building failed', async () => {
    gate = Promise.reject(new Error('cannot be loaded'))
    gate.catch(() => {})
    expect((await exportWithKey('export_link')).status).toBe(500)
    expect(await keys()).toEqual([])
    gate = Promise.resolve()
    const { filters } = asked
    expect((await exportWithKey('export_link', 'one', { filters })).status).toBe(200)
  })

  it('is free again a minute after the function that was building has died', async () => {
    const first = await exportWithKey('export_link')
    await whole.sql`update table_control.idempotency_keys
      set response = 'building:dead', created_at = now() - interval '61 seconds'`
    const again = await exportWithKey('export_link')
    expect([first.status, again.status, begun]).toEqual([200, 200, 2])
    expect(again.headers).not.toHaveProperty('idempotency-replayed')
  })

  it('is not taken from the request that has it by one that took longer than a minute', async () => {
    const openGate = closeGate()
    const first = exportWithKey('export_link')
    await expect.poll(() => begun).toBe(1)
    await whole.sql`update table_control.idempotency_keys set response = 'building:another'`
    openGate()
    expectFailure(await first, { status: 409, code: 'idempotency_in_progress' })
    expect(await keys()).toEqual([{ response: 'building:another' }])
    expect(await whole.sql`select from table_control.downloads`).toHaveLength(0)
  })
})
