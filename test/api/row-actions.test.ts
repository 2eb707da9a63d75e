import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { publicUrl, startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { samples } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { tasksTable } from '../support/fixtures/tasks-tables.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startFixtureApi()

const rows = async (options = {}): Promise<readonly ApiResponse['json'][]> =>
  (await api.post('query-table/tasks', {}, options)).json.items

/** Tasks of which each test declares the actions. */
const ofTasks = {
  name: 'tasks',
  from: samples,
  key: 'id',
  scope: everyRow,
  columns: { short: { label: 'Short' } },
} as const

const serve = (table: ReturnType<typeof defineFixture>) =>
  api.variant({ ITEM_ACTIONS: 'row' }, createRegistry([table], { claims: fixtureClaims }))

const readFlag = (row: { readonly flag: unknown }) => String(row.flag)
const isFlagged = (row: { readonly flag: unknown }) => row.flag === true

describe('actions of a row', () => {
  it('stand under row.actions, and once more under actions', async () => {
    for (const item of await rows()) {
      expect(Object.keys(item.row)).toEqual(['actions'])
      expect(item.actions).toEqual(item.row.actions)
    }
  })

  it.each([
    ['row', ['id', 'row', 'short']],
    ['actions', ['actions', 'id', 'short']],
    ['both', ['actions', 'id', 'row', 'short']],
  ])('ITEM_ACTIONS=%s switches the other place off', async (place, keys) => {
    const { json } = await api.variant({ ITEM_ACTIONS: place }).post('query-table/tasks')
    expect(Object.keys(json.items[0]).toSorted()).toEqual(keys)
  })

  it.each(['row', 'actions', 'both'])('stand where their table says if ITEM_ACTIONS is %s', async (place) => {
    const definition = { ...tasksTable.definition, itemActions: 'row' } as const
    const registry = createRegistry([{ ...tasksTable, definition }], { claims: fixtureClaims })
    const { json } = await api.variant({ ITEM_ACTIONS: place }, registry).post('query-table/tasks')
    expect(Object.keys(json.items[0]).toSorted()).toEqual(['id', 'row', 'short'])
  })

  it('one that does not apply to the row is absent there, and present elsewhere', async () => {
    const [flagged, empty, unflagged] = await rows()
    expect(flagged.actions).toHaveProperty('mark_done')
    expect(empty.actions).not.toHaveProperty('mark_done')
    expect(unflagged.actions).not.toHaveProperty('mark_done')
  })

  it('default ones are merged in; ones that do not exist for the request are absent', async () => {
    for (const { actions } of await rows()) {
      expect(actions).toHaveProperty('show_details')
      expect(actions).not.toHaveProperty('never')
    }
    const [quiet] = (await api.post('query-table/quiet')).json.items
    expect(quiet).toMatchObject({ actions: {}, row: { actions: {} } })
  })

  it('toggle ones have their current value as a boolean', async () => {
    expect((await rows()).map(({ actions }) => actions.switch.toggle_current_value)).toEqual([true, false, false])
  })

  it('redirect ones have the URL of their target', async () => {
    const [row] = await rows()
    expect(row.actions.open).toMatchObject({
      action_type: 'redirect',
      redirect_routes: { api: '/samples/1', web: '/samples/1' },
    })
    const url = 'https://example.test/1'
    expect(row.actions.visit).toMatchObject({
      action_type: 'external_redirect',
      redirect_routes: { api: url, web: url },
    })
  })

  it('copy ones have the text that is copied', async () => {
    expect((await rows()).map(({ actions }) => actions.copy_short.copy_value)).toEqual(['open', 'nothing', ''])
  })

  it('have an empty value where the JSON of the row lacks it', async () => {
    const details = (row: { details: unknown }) => (row.details ?? {}) as { code: string; on: boolean; url: string }
    const table = defineFixture({
      ...ofTasks,
      rowActions: {
        code: { type: 'copy', copies: (row) => details(row).code },
        flip: { type: 'toggle', current: (row) => details(row).on, run: () => {} },
        go: { type: 'redirect', to: (row) => details(row).url },
        wait: { appliesTo: () => ({ reason: {} as { en: string; ar: string } }), run: () => {} },
      },
    })
    const served = serve(table)
    const { json } = await served.post('query-table/tasks')
    expect(json.items[0].row.actions).toMatchObject({
      code: { copy_value: '' },
      flip: { toggle_current_value: false },
      go: { redirect_routes: { api: '!#', web: '!#' } },
      wait: { enabled: false, reason: '' },
    })
    expect((await served.post('row-table-action/tasks/code/1')).json.copy_value).toBe('')
  })

  it.each<[string, object, object]>([
    ['copies', { type: 'copy', copies: readFlag }, { copy_value: 'true' }],
    ['to', { type: 'redirect', to: readFlag }, { redirect_routes: { api: 'true', web: 'true' } }],
    ['current', { type: 'toggle', current: isFlagged, run: () => {} }, { toggle_current_value: true }],
    ['appliesTo', { appliesTo: isFlagged, run: () => {} }, { action_key: 'act' }],
  ])('have a `%s` that may read what no column shows, also alone in their table', async (_, action, expected) => {
    const served = serve(defineFixture({ ...ofTasks, rowActions: { act: action as never } }))
    expect((await served.post('query-table/tasks')).json.items[0].row.actions.act).toMatchObject(expected)
  })

  it('action.api ends with the row’s id, while the structure’s has none', async () => {
    const { rowActions } = (await api.get('load-table/tasks')).json
    for (const { id, actions } of await rows()) {
      for (const [key, action] of Object.entries<ApiResponse['json']>(actions)) {
        expect(action.action.api).toBe(`${rowActions[key].action.api}/${id}`)
        expect(action.action.web).toBe(`${rowActions[key].action.web}/${id}`)
      }
    }
    expect(rowActions.switch.action.api).toBe(`${publicUrl}/api/api-table/control-tables/row-table-action/tasks/switch`)
  })

  it('an entry in a row is the structure’s, but for its URLs, its value and its form', async () => {
    const { rowActions } = (await api.get('load-table/tasks')).json
    const [row] = await rows()
    for (const [key, entry] of Object.entries<ApiResponse['json']>(row.actions)) {
      const { form: _, url_template: __, ...rest } = rowActions[key]
      expect(entry).toMatchObject({ ...rest, action: entry.action })
      expect(entry).not.toHaveProperty('form')
    }
  })
})
