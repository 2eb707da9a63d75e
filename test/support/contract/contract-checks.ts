import fc from 'fast-check'
import { expect } from 'vitest'
import { isEveryRow } from '../../../lib/table/define-table.ts'
import { anyFilter, anyGroups, anySorts, type ContractSort, checkable } from './contract-queries.ts'
import { expectedRows, expectRows, forEachCaller, sendQuery } from './contract-requests.ts'
import { scopeEndpoints } from './contract-scope.ts'
import { anySearch } from './contract-search.ts'
import type { ContractSubject, SubjectCaller } from './contract-subject.ts'
import { expectTotals } from './contract-totals.ts'

/** The rules that every table keeps, by their title; each throws if the table breaks it. */
export const contractChecks: Readonly<Record<string, (subject: ContractSubject) => Promise<void>>> = {
  'shows each caller the rows of their own, and none beside them, at every endpoint': async (subject) => {
    expectDifference(subject)
    for (const caller of subject.callers) await scopeEndpoints(subject, caller)
  },
  'has the same rows in pages of any size, by number and by cursor, each once': (subject) =>
    forEachCaller(subject, async (caller, { sorts }) => {
      const size = fc.integer({ min: Math.ceil(caller.rows.length / 8), max: 100 }).filter((perPage) => perPage > 0)
      const query = fc.record({ sorts: anySorts(sorts, subject.data), perPage: size })
      await fc.assert(
        fc.asyncProperty(query, (one) => expectPages(subject, caller, one)),
        { numRuns: 12 },
      )
    }),
  'sorts by every sort that it offers as its values and collations say, with missing ones last and ties by the key': (
    subject,
  ) =>
    forEachCaller(subject, async (caller, { sorts }) => {
      for (const field of checkable(sorts, subject.data))
        for (const direction of ['asc', 'desc'] as const)
          await expectRows(subject, caller, { conditions: [], sorts: [{ field, direction }] })
      await fc.assert(
        fc.asyncProperty(anySorts(sorts, subject.data), (some) =>
          expectRows(subject, caller, { conditions: [], sorts: some }),
        ),
        { numRuns: 12 },
      )
    }),
  'keeps the rows that its filters and groups of them say, and no others': (subject) =>
    forEachCaller(subject, async (caller, { sorts, filters }) => {
      const filter = anyFilter(subject.table, filters, subject.data)
      if (filter === undefined) return
      const some = fc.oneof(
        fc.array(filter, { minLength: 1, maxLength: 2 }),
        fc.tuple(anyGroups(filter)),
        fc.tuple(filter, anyGroups(filter)),
      )
      const query = fc.record({ conditions: some, sorts: anySorts(sorts, subject.data) })
      await fc.assert(
        fc.asyncProperty(query, (one) => expectRows(subject, caller, one)),
        { numRuns: 60 },
      )
    }),
  'finds the rows in whose searchable columns the words of a search occur, in any case and with any marks': (subject) =>
    forEachCaller(subject, async (caller, { searchable, filters }) => {
      const search = anySearch(searchable, caller, subject)
      if (search === undefined) return
      const filter = anyFilter(subject.table, filters, subject.data)
      const some = filter === undefined ? fc.tuple(search) : fc.oneof(fc.tuple(search), fc.tuple(search, filter))
      await fc.assert(
        fc.asyncProperty(some, (conditions) => expectRows(subject, caller, { conditions, sorts: [] })),
        { numRuns: 12 },
      )
    }),
  'totals, groups and counts what the rows of a caller hold': (subject) =>
    forEachCaller(subject, (caller, offered) => expectTotals(subject, caller, offered)),
}

/** Throws if no caller, or every caller, sees each row: the checks of the scope could not fail then. */
function expectDifference({ callers, data, table }: ContractSubject): void {
  if (data.rows.length === 0) throw new Error('The table has no rows to check it with')
  if (callers.every(({ rows }) => rows.length === 0))
    throw new Error('No caller sees a row: name in `callers` who sees which, and in `values` what makes them see it')
  const context = { identity: { subject: 'nobody', claims: {} }, params: undefined, language: 'en', guard: 'api' }
  let open = false
  try {
    open = isEveryRow(table.definition.scope(context as unknown as Parameters<typeof table.definition.scope>[0]))
  } catch {
    // The scope needs claims that this caller lacks, so it restricts the rows.
  }
  if (!open && callers.every(({ hidden }) => hidden.length === 0))
    throw new Error(
      'Every caller is to see every row, though the scope is not everyRow: name in `callers` who sees which',
    )
}

async function expectPages(
  subject: ContractSubject,
  caller: SubjectCaller,
  { sorts, perPage }: { readonly sorts: readonly ContractSort[]; readonly perPage: number },
): Promise<void> {
  const expected = expectedRows(subject, caller, { conditions: [], sorts }).map(({ id }) => id)
  const message = `${caller.name}: ${JSON.stringify({ sorts, perPage })}`
  const byCursor: string[] = []
  let cursor: string | null | undefined
  do {
    const page = await sendQuery(subject, caller, { sorts, perPage, ...(cursor && { cursor }) })
    byCursor.push(...page.ids)
    cursor = page.pagination.next_cursor
  } while (cursor !== null && byCursor.length <= expected.length)
  expect(byCursor, `${message} by cursor`).toEqual(expected)
  const { maxOffset = Number.POSITIVE_INFINITY } = subject.table.definition
  for (let page = 1; (page - 1) * perPage <= Math.min(expected.length, maxOffset); page++) {
    const { ids } = await sendQuery(subject, caller, { sorts, perPage, page })
    expect(ids, `${message}, page ${page}`).toEqual(expected.slice((page - 1) * perPage, page * perPage))
  }
}
