import { afterAll, beforeAll, describe, it } from 'vitest'
import { contractChecks } from './contract-checks.ts'
import { type AnyTable, type ContractOptions, type ContractSubject, startContract } from './contract-subject.ts'

/**
 * Tests a table on a real Postgres with generated rows: its pages, its scope at every endpoint for each caller, its
 * sorts and its filters, against what its database holds, read without the service. One for each test file.
 *
 * @example
 * tableContract(ordersTable)
 */
export function tableContract(table: AnyTable, options: ContractOptions = {}): void {
  describe(`the table ${table.definition.name}`, () => {
    let subject: ContractSubject

    beforeAll(async () => {
      subject = await startContract(table, options)
    })

    afterAll(() => subject?.stop())

    it.each(Object.entries(contractChecks))('%s', (_, check) => check(subject))
  })
}
