import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractChecks } from '../support/contract/contract-checks.ts'
import { type ContractSubject, startContract } from '../support/contract/contract-subject.ts'
import { tableContract } from '../support/contract/table-contract.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import type { Api, ApiResponse } from '../support/requests/api.ts'
import { failingLedger, leakingLedger, ledgerOptions, soundLedger, unstableLedger } from './contract-ledger.ts'

tableContract(soundLedger, ledgerOptions)

const [scope, pages, sorts, filters] = Object.values(contractChecks)

type Check = typeof scope

const run = (check: Check, subject: ContractSubject) => check?.(subject) ?? Promise.reject(new Error('no such check'))

describe('a table that is broken fails its contract', () => {
  it.each([
    ['that shows rows of others', leakingLedger, scope, 'row'],
    ['whose order is not the same twice', unstableLedger, sorts, 'luck'],
    ['whose order is not the same twice, in its pages', unstableLedger, pages, 'luck'],
    ['whose cells cannot be made of every row', failingLedger, scope, '500'],
  ])('%s', async (_, table, check, told) => {
    const log = recordLog()
    const subject = await startContract(table, ledgerOptions)
    try {
      await expect(run(check, subject)).rejects.toThrow(told)
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
  ])('fails for one %s, because nothing would be tested', async (_, options, told) => {
    const attempt = async () => {
      const subject = await startContract(soundLedger, { ...ledgerOptions, ...options })
      try {
        await run(scope, subject)
      } finally {
        await subject.stop()
      }
    }
    await expect(attempt()).rejects.toThrow(told)
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
        const answer =
          method === 'get' ? api.get(path, { ...options, ...identity }) : api.post(path, to.body ?? sent, identity)
        return after(await answer, path)
      }
    const [get, post] = [call('get'), call('post') as (...args: unknown[]) => Promise<ApiResponse>]
    return { ...subject, api: { ...subject.api, get, post: (path, body, options) => post(path, options, body) } }
  }

  const items = (change: (items: readonly object[]) => readonly object[]) => (response: ApiResponse, path: string) =>
    path.startsWith('query-table')
      ? { ...response, json: { ...response.json, items: change(response.json.items) } }
      : response

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
    ['where the cursor is left out', pages, () => change((_, { cursor: __, ...body }) => ({ body }))],
    ['where the page is left out', pages, () => change((_, { page: __, ...body }) => ({ body }))],
    ['where a page ends with a row of the next', pages, () => change((_, body) => ({ body: oneMore(body) }))],
  ])('%s', async (_, check, broken) => {
    await expect(run(check, broken())).rejects.toThrow()
  })
})

type Body = Readonly<Record<string, unknown>>

const oneMore = (body: Body): Body => (body['page'] === 2 ? { ...body, perPage: Number(body['perPage']) + 1 } : body)
