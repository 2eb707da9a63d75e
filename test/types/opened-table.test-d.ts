import { sql } from 'drizzle-orm'
import { describe, expectTypeOf, it } from 'vitest'
import type { authenticateCaller, Caller } from '../../lib/auth/authenticate-caller.ts'
import type { Identity } from '../../lib/auth/identity.ts'
import { countStatement, pageStatement, rowsStatement } from '../../lib/query/page-statement.ts'
import type { Plan } from '../../lib/query/plan.ts'
import { readItems } from '../../lib/rows/read-items.ts'
import {
  type AdmittedTable,
  admitCaller,
  type OpenedTable,
  openTable,
  type ViewedTable,
} from '../../lib/table/open-table.ts'
import type { Registry } from '../../lib/table/registry.ts'

declare const registry: Registry
declare const identity: Identity
declare const caller: Caller
declare const admitted: AdmittedTable
declare const viewed: ViewedTable
declare const opened: OpenedTable
declare const plan: Plan
declare const database: Parameters<typeof readItems>[0]
declare const circumstances: Parameters<typeof openTable>[1]

const request = { tableName: '', endpoint: '', guard: 'api', method: 'GET', headers: {}, sourceIp: '' }
const page = { limit: 1, offset: 0, after: undefined, countUpTo: undefined }

describe('a statement on a table', () => {
  it('takes a table that was opened for a caller', () => {
    pageStatement(opened, plan, page)
    const target = { ...opened, requestId: '1' }
    pageStatement(target, plan, page)
  })

  it('takes no view without a scope', () => {
    // @ts-expect-error: nothing restricts the rows
    pageStatement(viewed, plan, page)
    // @ts-expect-error: nothing restricts the count
    countStatement(viewed, plan, 1)
    // @ts-expect-error: nothing restricts the rows
    rowsStatement(viewed, ['1'])
    // @ts-expect-error: nothing restricts the rows
    void readItems(database, viewed, ['1'])
  })

  it('takes no scope that was not resolved by openTable', () => {
    // @ts-expect-error: the scope is not the table's own
    pageStatement({ ...viewed, scope: sql`true` }, plan, page)
  })
})

describe('a table', () => {
  it('is opened only after its middlewares have admitted the caller', () => {
    expectTypeOf(openTable(admitted, circumstances, {})).toEqualTypeOf<OpenedTable>()
    // @ts-expect-error: no middleware has run
    openTable({ table: admitted.table, identity, request }, circumstances, {})
  })

  it('admits only a caller whose identity was established', () => {
    expectTypeOf<Awaited<ReturnType<typeof authenticateCaller>>>().toEqualTypeOf<Caller>()
    expectTypeOf(admitCaller(registry, caller, request)).toEqualTypeOf<Promise<AdmittedTable>>()
    // @ts-expect-error: this identity is not verified
    void admitCaller(registry, { identity }, request)
  })
})
