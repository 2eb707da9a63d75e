import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import { QueryBuilder } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { createRegistry } from '../../../lib/index.ts'
import { startFixtureApi } from '../../support/fixtures/fixture-api.ts'
import { products, suppliers } from '../../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../../support/fixtures/identities.ts'

const api = await startFixtureApi()

const french = new QueryBuilder().select({ id: suppliers.id }).from(suppliers).where(eq(suppliers.country, 'FR'))

it.each<[string, SQL]>([
  ['a built subquery', inArray(products.supplier_id, french)],
  [
    'exists',
    sql`exists (select from ${suppliers} where ${suppliers.id} = ${products.supplier_id} and ${suppliers.country} = ${'FR'})`,
  ],
])('a scope can look into a related table by %s, which the table joins as well', async (_, scope) => {
  const table = defineFixture({
    name: 'french',
    from: products,
    key: 'id',
    relations: { supplier: { table: suppliers, on: { supplier_id: 'id' } } },
    scope: () => scope,
    columns: { id: { label: 'ID' }, supplier__country: { label: 'Country' } },
    filters: { supplier__country: { type: 'text', label: 'Country' } },
  })
  const scoped = api.variant({}, createRegistry([table], { claims: fixtureClaims }))
  const { json: all } = await scoped.post('query-table/french')
  const filters = { supplier__country: { operator: '=', value: 'FR' } }
  const { json: filtered } = await scoped.post('query-table/french', { filters })
  expect(all.pagination.total).toBeGreaterThan(0)
  expect(all.items.map((item: { supplier__country: string }) => item.supplier__country)).not.toContain('SA')
  expect(filtered.pagination.total).toBe(all.pagination.total)
})
