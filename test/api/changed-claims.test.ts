import { eq, type SQL } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow, type LoadedRegistry, tableDefiner } from '../../lib/index.ts'
import { north } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { startWatchingInstallation } from '../support/sockets/watching-installation.ts'

const tenant = z.string().default('')
const inTenant = (value: string | undefined) => eq(orders.tenant, value ?? '')

/** Registers the orders, whose scope reads claims of this schema. */
function declare<Claims extends Record<string, unknown>>(
  claims: z.ZodType<Claims>,
  scope: (claims: Claims) => SQL | ReturnType<typeof everyRow>,
): LoadedRegistry {
  const table = tableDefiner<Claims>()({
    ...ofOrders,
    name: 'claimed',
    columns: { title: { label: 'Title' } },
    bulkActions: { report: { export: 'csv', response: 'websocket' } },
    scope: ({ identity }) => scope(identity.claims as Claims),
  })
  return createRegistry([table], { claims })
}

const before = declare(z.object({ tenant }), (claims) => inTenant(claims.tenant))
/** The registry of the functions that run: a deployment replaces its tables. */
const running = { ...before }
const live = await startWatchingInstallation(running)
beforeEach(async () => {
  await live.clear()
  Object.assign(running, before)
})

async function askForReport(): Promise<string> {
  const { json } = await live.variant({}, before).post('bulk-table-action/claimed/report')
  return json.job.id
}

const readJob = async (id: string) =>
  (await live.sql`select state, attempts, done, failure from table_control.jobs where id = ${id}`)[0]

describe('work that was requested before the claims of tokens were declared otherwise', () => {
  const restricted = z.object({ tenant, restricted: z.boolean().default(true) })
  const renamed = z.object({ company: z.string().default('north') })

  it.each([
    [
      'without it, the scope has all rows',
      declare(restricted, (own) => (own.restricted ? inTenant(own.tenant) : everyRow())),
    ],
    ['it is a renamed one', declare(renamed, ({ company }) => inTenant(company))],
  ])('ends and shows no rows if it lacks a claim and %s', async (_, registry) => {
    const watcher = await live.watch()
    await watcher.ask({ event: 'subscribe', id: 'page', table: 'claimed', token: live.tokenFor(north), query: {} })
    const id = await askForReport()
    Object.assign(running, registry)
    await live.drain()
    expect(await readJob(id)).toMatchObject({ state: 'failed', attempts: 1, done: 0, failure: { code: 'forbidden' } })
    expect((await readJob(id))?.['failure'].en).toBe(
      'The access rules have changed since this was requested; request it again',
    )
    await live.sql`insert into table_control.row_events (table_name) values ('claimed')`
    await live.wake('claimed')
    await expect.poll(() => watcher.messages.at(-1)).toMatchObject({ event: 'rows.ended', data: { code: 'forbidden' } })
    expect(await watcher.listReceived()).not.toContain('rows.entered')
  })

  it('is done if the claim that it lacks is optional', async () => {
    const id = await askForReport()
    Object.assign(
      running,
      declare(z.object({ tenant, role: z.string().optional() }), (own) => inTenant(own.tenant)),
    )
    await live.drain()
    expect(await readJob(id)).toMatchObject({ state: 'succeeded', done: 12 })
  })
})
