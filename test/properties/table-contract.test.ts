import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractChecks } from '../support/contract/contract-checks.ts'
import { type ContractSubject, startContract } from '../support/contract/contract-subject.ts'
import { tableContract } from '../support/contract/table-contract.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import type { Api, ApiResponse } from '../support/requests/api.ts'
import {
  doublingLedger,
  failingLedger,
  leakingLedger,
  ledgerOptions,
  moodyFilterLedger,
  moodyLedger,
  soundLedger,
  unnaturalLedger,
  unstableLedger,
} from './contract-ledger.ts'

tableContract(soundLedger, ledgerOptions)

const [scope, pages, sorts, filters, searches, totals] = Object.values(contractChecks)

type Check = typeof scope

const run = (check: Check, subject: ContractSubject) => check?.(subject) ?? Promise.reject(new Error('no such check'))

describe('a table that is broken fails its contract', () => {
  it.each([
    ['that shows rows of others', leakingLedger, scope, 'row'],
    ['whose order is not the same twice', unstableLedger, sorts, 'luck'],
    ['whose order is not the same twice, in its pages', unstableLedger, pages, 'luck'],
    ['whose cells cannot be made of every row', failingLedger, scope, '500'],
    ['whose searched text is not the same twice', moodyLedger, searches, 'give "mood" in `computed` an expression'],
    ['whose groups are not the same twice', moodyLedger, totals, 'the groups by "mood"'],
    ['whose totals are not the same twice', unstableLedger, totals, 'the sum of "luck"'],
    ['whose facets are not the same twice', moodyFilterLedger, totals, 'the facet "mood"'],
    [
      'whose filters and groups of them are not the same twice',
      moodyFilterLedger,
      filters,
      'give "mood" in `computed`',
    ],
    ['with a relation that multiplies rows', doublingLedger, totals, 'give id of clerks a unique index'],
    ['with a collation of another order', unnaturalLedger, sorts, 'create the collation "natural" of "number"'],
  ])('%s', async (_, table, check, problem) => {
    const log = recordLog()
    const subject = await startContract(table, ledgerOptions)
    try {
      await expect(run(check, subject).catch(tellCause)).rejects.toThrow(problem)
    } finally {
      log.restore()
      await subject.stop()
    }
  })

  it.each([
    ['where no caller sees a row', { callers: { nobody: { sees: () => false } } }, 'No caller sees a row'],
    [
      'where no caller is kept from any',
      { callers: { all: { claims: { role: 'supervisor' } } } },
      'Every caller is to see',
    ],
    ['without rows', { values: { id: [null] } }, 'No rows could be made'],
  ])('fails for one %s, because nothing would be tested', async (_, options, problem) => {
    const attempt = async () => {
      const subject = await startContract(soundLedger, { ...ledgerOptions, ...options })
      try {
        await run(scope, subject)
      } finally {
        await subject.stop()
      }
    }
    await expect(attempt()).rejects.toThrow(problem)
  })
})

describe('a service that is broken fails the contract of a table that is not', () => {
  let subject: ContractSubject

  beforeAll(async () => {
    subject = await startContract(soundLedger, ledgerOptions)
  })

  afterAll(() => subject.stop())

  /** The same service, with something changed on the way in or out. */
  const change = (
    before: (path: string, body: Body, as: object) => { readonly body?: Body; readonly as?: object },
    after: (response: ApiResponse, path: string) => ApiResponse = (response) => response,
  ): ContractSubject => {
    const call =
      (method: 'get' | 'post'): Api['get'] =>
      async (path, { as, ...options } = {}, sent?: Body) => {
        const to = before(path, sent ?? {}, as as object)
        const identity = { as: (to.as ?? as) as NonNullable<typeof as> }
        const { api } = subject
        const response =
          method === 'get' ? api.get(path, { ...options, ...identity }) : api.post(path, to.body ?? sent, identity)
        return after(await response, path)
      }
    const get = call('get')
    const post = call('post') as (...args: unknown[]) => Promise<ApiResponse>
    return { ...subject, api: { ...subject.api, get, post: (path, body, options) => post(path, options, body) } }
  }

  const items = (change: (items: readonly object[]) => readonly object[]) => (response: ApiResponse, path: string) =>
    path.startsWith('query-table')
      ? { ...response, json: { ...response.json, items: change(response.json.items) } }
      : response

  /** Changes a part of a page, where it has one. */
  const changePart =
    <Part>(part: string, change: (value: Part) => unknown) =>
    (response: ApiResponse) => {
      const { [part]: value, ...json } = response.json
      return { ...response, json: value === undefined ? json : { ...json, [part]: change(value) } }
    }

  const supervisor = { sub: 'caller-1', role: 'supervisor' }

  it.each([
    'load-table/ledger/true',
    'query-table',
    'row-refetch',
    'multi-row-refetch',
    'row-table-action',
    'bulk-table-action',
  ])('fails if %s answers as to a supervisor', async (endpoint) => {
    const broken = change((path) => (path.startsWith(endpoint) ? { as: supervisor } : {}))
    await expect(run(scope, broken)).rejects.toThrow('an analyst')
  })

  it.each<[string, Check, () => ContractSubject]>([
    ['where sorts are left out', sorts, () => change((_, { sorts: __, ...body }) => ({ body }))],
    [
      'where ties come the other way round',
      sorts,
      () =>
        change(
          () => ({}),
          items((all) => all.toReversed()),
        ),
    ],
    ['where filters are left out', filters, () => change((_, { filters: __, ...body }) => ({ body }))],
    [
      'where a row is lost',
      filters,
      () =>
        change(
          () => ({}),
          items((all) => all.slice(1)),
        ),
    ],
    ['where groups of filters are left out', filters, () => change((_, { filter_groups: __, ...body }) => ({ body }))],
    ['where periods begin a day late', filters, () => change(() => ({}), aDayLate)],
    ['where the search is left out', searches, () => change((_, { search: __, ...body }) => ({ body }))],
    ['where totals are of all rows', totals, () => change(() => ({ as: supervisor }))],
    [
      'where a group is lost',
      totals,
      () =>
        change(
          () => ({}),
          changePart('groups', (groups: readonly unknown[]) => groups.slice(1)),
        ),
    ],
    ['where a facet is empty', totals, () => change(() => ({}), changePart('facets', emptyFacets))],
    ['where the cursor is left out', pages, () => change((_, { cursor: __, ...body }) => ({ body }))],
    ['where the page is left out', pages, () => change((_, { page: __, ...body }) => ({ body }))],
    ['where a page ends with a row of the next', pages, () => change((_, body) => ({ body: oneMore(body) }))],
  ])('%s', async (_, check, broken) => {
    await expect(run(check, broken())).rejects.toThrow()
  })
})

/** fast-check leads with the request that it has shrunk; what failed is the cause. */
const tellCause = (error: Error): never => {
  throw new Error(`${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`)
}

type Body = Readonly<Record<string, unknown>>

const emptyFacets = (facets: object) =>
  Object.fromEntries(Object.keys(facets).map((name) => [name, { options: [], more: false }]))

/** Resolves periods from a day that is not theirs. */
const aDayLate = (response: ApiResponse): ApiResponse => {
  const { resolved, ...json } = response.json
  if (resolved === undefined) return response
  const late = resolved.map((period: object) => ({ ...period, from: '2001-02-03' }))
  return { ...response, json: { ...json, resolved: late } }
}

const oneMore = (body: Body): Body => (body['page'] === 2 ? { ...body, perPage: Number(body['perPage']) + 1 } : body)
