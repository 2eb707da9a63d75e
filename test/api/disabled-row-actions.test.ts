import { Ajv2020 } from 'ajv/dist/2020.js'
import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders, oneMore, orderColumns } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { readmeSamples } from '../support/requests/readme-examples.ts'

const reason = { en: 'Done "already"', ar: 'أُنجز من قبل' }

/** Offers the action on open orders, disables it on done ones, and hides it on order 12. */
const unlessDone = ({ id, state }: { readonly id: number; readonly state: string }) =>
  id !== 12 && (state === 'open' || { reason })

/** A reason as an author without types may write it. */
const loosely = (response: unknown) => (() => response) as () => boolean

const gatedTable = defineFixture({
  ...ofOrders,
  name: 'gated_orders',
  columns: orderColumns,
  defaultSort: ['id', 'asc'],
  rowActions: {
    finish: {
      label: { en: 'Finish', ar: 'إنهاء' },
      appliesTo: unlessDone,
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ state: 'done', runs: oneMore }).where(eq(orders.id, row.id))
      },
    },
    finish_all: {
      appliesTo: unlessDone,
      bulk: true,
      atomic: true,
      runAll: async ({ db, where }) => {
        await db
          .update(orders)
          .set({ state: 'done', runs: sql`${orders.runs} + 1` })
          .where(where)
      },
    },
    flag: { type: 'toggle', current: ({ flagged }) => flagged, appliesTo: unlessDone, run: () => {} },
    open: { type: 'redirect', to: ({ id }) => `/orders/${id}`, appliesTo: unlessDone },
    copy_title: { type: 'copy', copies: ({ title }) => title, appliesTo: unlessDone },
    without_reason: { appliesTo: loosely({}), run: () => {} },
    with_null: { appliesTo: loosely(null), run: () => {} },
    later: { appliesTo: loosely(Promise.resolve({ reason })), run: () => {} },
  },
  defaultActions: { show_details: false },
})

const [, , , disabledItem, disabledFailure] = readmeSamples('## row-table-action')

/** The orders of functions/README.md. */
const documentedTable = defineFixture({
  ...ofOrders,
  name: 'orders',
  columns: { id: orderColumns.id },
  rowActions: {
    finish: {
      appliesTo: ({ id }) => id < 9 || { reason: { en: 'Done already', ar: 'أُنجز من قبل' } },
      run: () => {},
    },
    assign: { run: () => {} },
  },
  defaultActions: { show_details: false },
})

const work = await startWorkApi()
const api = work.variant({}, createRegistry([gatedTable, documentedTable], { claims: fixtureClaims }))
beforeEach(() => work.reset())

const inArabic = { headers: { ln: 'ar' } }
const offered = ['finish', 'finish_all', 'flag', 'open', 'copy_title']

const readActions = async (id: number, body: object = {}, options: object = {}) =>
  (await api.post(`row-refetch/gated_orders/${id}`, body, options)).json.data.row.row.actions
const act = (action: string, id: number, body: object = {}, options: object = {}) =>
  api.post(`row-table-action/gated_orders/${action}/${id}`, body, options)
const rowBulk = (action: string, body: object, options: object = {}) =>
  api.post(`row-bulk-table-action/gated_orders/${action}`, body, options)

it('an action that a row disables is shown and refused as functions/README.md says', async () => {
  const { json } = await api.post('query-table/orders', { row_actions: 'keys' })
  expect(json.items.find(({ id }: { id: number }) => id === 9)).toEqual(disabledItem)
  expect((await api.post('row-table-action/orders/finish/9', {})).json).toMatchObject(disabledFailure ?? {})
})

describe('the entry of an action whose appliesTo returns a reason', () => {
  it('stays in the row, disabled, with the reason in the language of the request', async () => {
    const { finish } = await readActions(9)
    const { finish: translated } = await readActions(9, {}, inArabic)
    expect(finish).toMatchObject({ label: 'Finish', action_type: 'normal', enabled: false, reason: reason.en })
    expect(finish.action.api).toMatch(/\/finish\/9$/)
    expect(translated).toMatchObject({ label: 'إنهاء', enabled: false, reason: reason.ar })
  })

  it('has neither key in a row that the action applies to, and is absent where it has no reason', async () => {
    const actions = await readActions(1)
    expect(Object.keys(actions)).toEqual(offered)
    expect(JSON.stringify(actions)).not.toMatch(/"(enabled|reason)"/)
    expect(await readActions(12)).toEqual({})
  })

  it('has both keys with row_actions "keys", and only there: the structure has neither', async () => {
    const state = { enabled: false, reason: reason.en }
    expect(await readActions(9, { row_actions: 'keys' })).toEqual({
      finish: state,
      finish_all: state,
      open: state,
      copy_title: state,
      flag: { toggle_current_value: false, ...state },
    })
    expect((await readActions(1, { row_actions: 'keys' })).finish).toEqual({})
    expect((await api.get('load-table/gated_orders')).text).not.toContain('"enabled"')
  })

  it('keeps what the action would have opened or copied to itself', async () => {
    const { flag, open, copy_title: copied } = await readActions(9)
    expect(flag).toMatchObject({ enabled: false, toggle_current_value: false })
    expect(open).not.toHaveProperty('redirect_routes')
    expect(copied).not.toHaveProperty('copy_value')
    expect((await readActions(1)).open).toHaveProperty('redirect_routes')
  })

  it.each([{}, { row_actions: 'keys' }])('fits the OpenAPI document with %j', async (body) => {
    const document = (await api.get('openapi.json')).json
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, 'document', undefined, false)
    const isItem = ajv.compile({ $ref: 'document#/components/schemas/gated_orders.Item' })
    const { items } = (await api.post('query-table/gated_orders', body)).json
    expect(items.length).toBe(12)
    for (const item of items) expect(isItem(item), JSON.stringify(isItem.errors)).toBe(true)
    const misread = JSON.parse(JSON.stringify(items).replaceAll('"enabled":false', '"enabled":"no"'))
    expect(isItem(misread[8])).toBe(false)
  })

  it('appears in the row that the action itself answers with', async () => {
    const { json } = await act('finish', 1)
    expect(json.data.row.row.actions.finish).toMatchObject({ enabled: false, reason: reason.en })
  })
})

describe('an action whose appliesTo returns a reason', () => {
  it.each(['finish', 'finish_all', 'flag', 'open', 'copy_title'])(
    'is refused with the reason in both languages: %s',
    async (action) => {
      const refused = await act(action, 9)
      expectFailure(refused, { status: 422, code: 'action_not_applicable' })
      expect(refused.json.message).toBe(reason.en)
      expect(refused.json.errors).toEqual([reason.en, reason.ar])
      expect((await act(action, 9, {}, inArabic)).json.message).toBe(reason.ar)
      expect(await work.runs(9)).toEqual([0])
    },
  )

  it('is refused with the reason by a dry run', async () => {
    const refused = await act('finish', 9, { dry_run: true })
    expectFailure(refused, { status: 422, code: 'action_not_applicable' })
    expect(refused.json.message).toBe(reason.en)
  })

  it('is refused without one where it has none', async () => {
    const refused = await act('finish', 12)
    expectFailure(refused, { status: 422, code: 'action_not_applicable' })
    expect(refused.json.message).toBe('This action does not apply to this row')
  })

  it.each(['without_reason', 'with_null', 'later'])('is refused without one if it is none: %s', async (action) => {
    const refused = await act(action, 1)
    expectFailure(refused, { status: 422, code: 'action_not_applicable' })
    expect(refused.json.message).toBe('This action does not apply to this row')
  })

  it('gives no reason for rows outside of the scope', async () => {
    expectFailure(await act('finish', 13), { status: 404, code: 'row_not_found' })
  })

  it('leaves its rows alone among several, each with its reason', async () => {
    const { json } = await rowBulk('finish', { selected_ids: [1, 9, 12] })
    const refusal = { success: false, code: 'action_not_applicable' }
    expect(json.results).toEqual([
      { id: 1, success: true },
      { id: 9, ...refusal, errors: [reason.en, reason.ar] },
      { id: 12, ...refusal, errors: ['This action does not apply to this row', expect.any(String)] },
    ])
    expect(await work.runs(1, 9, 12)).toEqual([1, 0, 0])
  })

  it('runs on none of several rows if it is atomic', async () => {
    const refused = await rowBulk('finish_all', { selected_ids: [1, 9] })
    expectFailure(refused, { status: 422, code: 'action_not_applicable' })
    expect(await work.runs(1, 9)).toEqual([0, 0])
  })

  it('groups the refused rows of a plan by their reasons, in the language of the request', async () => {
    const body = { selected_ids: [1, 9, 10, 12], plan: true }
    const refusal = { code: 'action_not_applicable' }
    const { plan } = (await rowBulk('finish', body)).json
    expect([plan.applicable, plan.refused]).toEqual([
      1,
      [
        { ...refusal, text: reason.en, count: 2, sample_ids: [9, 10] },
        { ...refusal, text: 'This action does not apply to this row', count: 1, sample_ids: [12] },
      ],
    ])
    const [first] = (await rowBulk('finish', body, inArabic)).json.plan.refused
    expect(first).toEqual({ ...refusal, text: reason.ar, count: 2, sample_ids: [9, 10] })
  })
})
