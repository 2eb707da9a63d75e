import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { createChangeClient, type Undo } from '../../lib/client/changes.ts'
import { createImportClient } from '../../lib/client/imports.ts'
import { createTableClient, type OpenApiTables } from '../../lib/client/index.ts'
import type { TableError } from '../../lib/client/table-error.ts'
import { createRegistry } from '../../lib/index.ts'
import type { registry } from '../../tables/index.ts'
import { base, defineTable, label } from '../support/parcels/typed-parcels.ts'

const options = { baseUrl: 'https://tables.example.com', token: () => 'token' }

const edited = defineTable({
  ...base,
  columns: {
    id: { label },
    note: { label, editable: { when: (row) => row.weight > 1 } },
    weight: { label, editable: true },
    price: { label, editable: true },
    fragile: { label, editable: { schema: z.literal(true) } },
    sent_at: { label, editable: true },
    length: { label, value: () => 1 },
  },
})
const fixed = defineTable({ ...base, name: 'fixed', columns: { note: { label } } })
const parcelRegistry = createRegistry([edited, fixed], {
  claims: z.object({ tenant: z.string(), states: z.array(z.string()) }),
})

describe('a client of changes that is typed by a registry', () => {
  const changes = createChangeClient<typeof parcelRegistry>(options)

  it('knows the editable columns of each table and the values that they take', async () => {
    expectTypeOf<NonNullable<Parameters<typeof changes.updateCells<'parcels'>>[2]>>().toEqualTypeOf<{
      readonly note?: string | null
      readonly weight?: number
      readonly price?: string | null
      readonly fragile?: true
      readonly sent_at?: string
    }>()
    await changes.updateRows('parcels', [1, { id: 2, _version: 'a' }], { weight: 3 })
    // @ts-expect-error: a decimal is a text
    await changes.updateCells('parcels', 1, { price: 1.5 })
    // @ts-expect-error: a weight is never missing
    await changes.planCells('parcels', [1], { weight: null })
    // @ts-expect-error: the column is not editable
    await changes.updateCells('parcels', 1, { id: 2 })
    await changes.updateCells('parcels', 1, { weight: 3 }, { page: { columns: ['weight'] } })
    // @ts-expect-error: no column is called colour
    await changes.updateCells('parcels', 1, { weight: 3 }, { page: { columns: ['colour'] } })
    // @ts-expect-error: a plan is applied to the rows that it has kept
    await changes.apply({ id: 'a', table: 'parcels', action: 'update_cells' }, { page: { search: 'a' } })
    // @ts-expect-error: the table has no editable column
    await changes.updateCells('fixed', 1, {})
    // @ts-expect-error: no table is called trains
    await changes.readHistory('trains', 1)
  })

  it('returns refusals as outcomes with the columns of the table', async () => {
    const outcome = await changes.updateCells('parcels', 1, { weight: 3 })
    expectTypeOf(outcome.outcome).toEqualTypeOf<'saved' | 'conflict' | 'refused'>()
    if (outcome.outcome === 'saved') {
      expectTypeOf(outcome.row).extract<object>().toHaveProperty('weight')
      expectTypeOf(outcome).not.toHaveProperty('error')
      expectTypeOf(outcome.effects?.rows[0]).extract<object>().toHaveProperty('weight')
      expectTypeOf(outcome.effects?.refetch)
        .exclude<undefined>()
        .items.toEqualTypeOf<'rows' | 'aggregates' | 'facets' | 'bindings'>()
    }
    if (outcome.outcome === 'conflict') {
      expectTypeOf(outcome.current).toHaveProperty('note')
      expectTypeOf(outcome.changed[0]?.field).exclude<undefined>().not.toEqualTypeOf<string>()
    }
    if (outcome.outcome === 'refused') {
      expectTypeOf(outcome.error).toEqualTypeOf<TableError>()
      expectTypeOf(outcome.fields.weight).toEqualTypeOf<readonly string[] | undefined>()
      // @ts-expect-error: no column is called colour
      expectTypeOf(outcome.fields.colour)
    }
    const undone = await changes.undo({} as Undo<{ readonly item: { readonly id: number } } & Any>)
    const [result] = undone.results
    if (result?.success === false) expectTypeOf(result.errors).toEqualTypeOf<readonly string[]>()
    // @ts-expect-error: a row that was changed has no code
    expectTypeOf(result?.code)
  })
})

interface Any {
  readonly filter: string
  readonly sort: string
  readonly params: unknown
  readonly rowActions: object
  readonly bulkActions: object
}

describe('a client of changes', () => {
  it('knows the forms of actions and the columns of the demo', async () => {
    const changes = createChangeClient<typeof registry>(options)
    await changes.updateCells('bird_strikes', 1, { note: 'Called back', assignee: null })
    await changes.planAction('bird_strikes', 'assign', [1], { assignee: 'dana' })
    // @ts-expect-error: a form without its field
    await changes.planAction('bird_strikes', 'assign', [1], {})
    const planned = await changes.planCells('bird_strikes', [1], { note: null })
    if (planned.outcome === 'planned') {
      const applied = await changes.apply(planned.plan)
      if (applied.outcome !== 'refused') expectTypeOf(applied.items[0]).extract<object>().toHaveProperty('species')
    }
    // @ts-expect-error: flights are not edited
    await changes.updateCells('flights', 1, { delay: 1 })
  })

  it('undoes actions, and applies the plan of a row action', async () => {
    const client = createTableClient<typeof registry>(options)
    const changes = createChangeClient<typeof registry>(options)
    const { undo } = await client.rowAction(await client.refetchRow('bird_strikes', 1), 'mark_reviewed')
    if (undo !== undefined) {
      const undone = await changes.undo(undo)
      if (undone.outcome !== 'refused') expectTypeOf(undone.items[0]).extract<object>().toHaveProperty('species')
    }
    const structure = await client.loadTable('bird_strikes')
    const several = await client.rowBulkAction(structure, 'mark_reviewed', [1])
    if (several.undo !== undefined) {
      const undone = await changes.undo(several.undo)
      if (undone.outcome !== 'refused') expectTypeOf(undone.items[0]).extract<object>().toHaveProperty('species')
    }
    const { plan } = await client.rowBulkAction(structure, 'mark_reviewed', [1], { plan: true })
    if (plan !== undefined) await changes.apply({ ...plan, table: 'bird_strikes', action: 'mark_reviewed' })
    const imported = await createImportClient<typeof registry>(options).apply('bird_strikes', 'an id', 'a plan')
    if (imported.undo !== undefined) {
      const undone = await changes.undo(imported.undo)
      if (undone.outcome !== 'refused') expectTypeOf(undone.items[0]).extract<object>().toHaveProperty('species')
    }
  })

  it('knows what an OpenAPI document says of cells', async () => {
    const changes = createChangeClient<OpenApiTables<Components>>(options)
    await changes.updateCells('orders', 1, { title: 'New' })
    // @ts-expect-error: a title is a text
    await changes.updateCells('orders', 1, { title: 1 })
    // @ts-expect-error: the column is not editable
    await changes.updateCells('orders', 1, { total: 1 })
    await changes.updateCells('shops', 'a', { anything: 1 })
  })

  it('takes any name without types', async () => {
    const { changes } = await createChangeClient(options).readHistory('anything', 1)
    expectTypeOf(changes[0]?.cells[0]?.field).toEqualTypeOf<string | undefined>()
    await createChangeClient(options).updateCells('anything', 1, { colour: 'red' })
  })
})

/** As openapi-typescript writes it. */
interface Components {
  schemas: {
    'orders.Item': { id: number; total: string; title: string }
    'orders.rowAction.update_cells': { cells: { title?: string } }
    'shops.Item': { id: string }
  }
}
