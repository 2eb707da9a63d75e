import postgres from 'postgres'
import { createRegistry } from '../../lib/index.ts'
import type { DatabaseTemplate } from './database.ts'
import {
  brokenTables,
  countedTables,
  dealsTable,
  echoTable,
  rejectingTables,
  stockedTable,
  tracedTable,
} from './fixture-access.ts'
import { quietTable, redeclaredTable, tasksTable } from './fixture-actions.ts'
import * as data from './fixture-data.ts'
import { fixtureClaims } from './fixture-identity.ts'
import { bareTable, devicesTable, documentsTable, ledgerTable, samplesTable, visitsTable } from './fixture-kinds.ts'
import { productsTable } from './fixture-products.ts'
import { fixtureDdl } from './fixture-schema.ts'
import { bulkOrdersTable } from './fixture-work-bulk.ts'
import { accountsTable, heavyLinesTable, linesTable, papersTable, unitsTable } from './fixture-work-lines.ts'
import { ordersTable } from './fixture-work-orders.ts'
import { refusingOrdersTable } from './fixture-work-refusals.ts'
import { lineRows, orderRows, workDdl } from './fixture-work-schema.ts'
import { scopedOrdersTable } from './fixture-work-scoped.ts'
import { serviceDdl } from './service-ddl.ts'

export const fixtureRegistry = createRegistry(
  [
    ...[productsTable, ledgerTable, documentsTable, devicesTable, visitsTable, samplesTable, bareTable],
    ...[dealsTable, stockedTable, echoTable, tracedTable, tasksTable, quietTable, redeclaredTable],
    ...[
      ordersTable,
      refusingOrdersTable,
      bulkOrdersTable,
      linesTable,
      heavyLinesTable,
      papersTable,
      unitsTable,
      accountsTable,
      scopedOrdersTable,
    ],
    ...rejectingTables,
    ...brokenTables,
    ...countedTables,
  ],
  { claims: fixtureClaims },
)

/** A database with the service's own tables, and the fixture's tables and rows. */
export const fixtureTemplate: DatabaseTemplate = {
  name: 'fixture',
  build: async (url) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    try {
      await sql.unsafe(await serviceDdl())
      await sql.unsafe(fixtureDdl)
      await sql.unsafe(workDdl + orderRows + lineRows)
      const tables = [
        ['countries', data.countryRows],
        ['suppliers', data.supplierRows],
        ['products', data.productRows],
        ['ledger', data.ledgerRows],
        ['documents', data.documentRows],
        ['devices', data.deviceRows],
        ['visits', data.visitRows],
        ['samples', data.sampleRows],
      ] as const
      for (const [table, rows] of tables)
        for (const row of rows) await sql`insert into ${sql(table)} ${sql(asTexts(row))}`
      await sql`analyze`
    } finally {
      await sql.end({ timeout: 5 })
    }
  },
}

/** bigint is the one type that the driver does not write by itself, alone or in a list. */
const asTexts = (row: object): Record<string, never> =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, Array.isArray(value) ? value.map(asText) : asText(value)]),
  ) as Record<string, never>

const asText = (value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
