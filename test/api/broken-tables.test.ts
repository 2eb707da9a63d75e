import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, type Table } from '../../lib/index.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const api = await startWorkApi({ LOG_LEVEL: 'silent' })

const both = (en: string) => ({ en, ar: 'نص' })

/** Every kind of column, filter and action, with every option that is no function or schema. */
const complete = defineFixture({
  ...ofOrders,
  name: 'complete',
  label: both('Orders'),
  timeZone: 'Asia/Riyadh',
  maxPerPage: 200,
  maxOffset: 10_000,
  count: { capped: 5_000 },
  defaultSort: ['id', 'desc'],
  sortables: ['id', 'state'],
  columns: {
    id: { label: both('ID'), name: 'number', showable: true, minWidth: '5rem', showInMobileApp: true },
    state: { label: both('State'), values: { open: { label: both('Open'), style: 'info' }, done: 'Done' } },
    title: {
      label: both('Title'),
      type: 'link',
      linkStyle: 'button',
      linkText: both('Open'),
      linkColor: 'red',
      showCopyButton: true,
    },
    amount: { label: both('Amount'), type: 'number', decimals: 2, grouping: false, sortable: true },
    due: { label: both('Due'), type: 'date', pattern: 'yyyy-MM-dd' },
    flagged: { label: both('Flagged'), type: 'boolean', values: { true: both('Yes'), false: { label: both('No') } } },
    words: { label: both('Words'), type: 'datalist', linkText: both('All'), value: () => ['a', 'b'] },
    actions: { label: both('Actions'), type: 'actions' },
  },
  filters: {
    title: { type: 'text', label: both('Title'), operators: ['=', 'like'] },
    state: { type: 'select', label: both('State'), options: { open: both('Open'), done: 'Done' } },
    flagged: {
      type: 'boolean',
      label: both('Flagged'),
      labels: { true: both('Yes'), false: both('No') },
      selected: true,
    },
    due: { type: 'date', label: both('Due'), min: '2026-01-01', max: '2026-12-31' },
  },
  advancedFilters: {
    states: { type: 'multi_select', label: both('States'), source: 'state', options: ['open', 'done'] },
    assigned: {
      type: 'null',
      label: both('Assigned'),
      source: 'assignee',
      labels: { set: both('Yes'), notSet: both('No') },
    },
  },
  rowActions: {
    note: {
      label: both('Note'),
      buttonClasses: ['wide'],
      confirm: both('Sure?'),
      showInWeb: true,
      showInMobileApp: true,
      bulk: { onSuccess: 'reload' },
      atomic: true,
      onSuccess: 'OpenModalForm',
      onSubmit: 'refetchRow',
      form: z.object({ text: z.string() }),
      formLabels: { text: both('Text') },
      run: () => {},
    },
    toggle: { type: 'toggle', current: ({ flagged }) => flagged, run: () => {} },
    go: { type: 'redirect', to: ({ id }) => `/orders/${id}` },
    copy: { type: 'copy', copies: ({ title }) => title },
  },
  bulkActions: {
    work: { label: both('Work'), chunk: 100, maxRows: 1_000, response: 'instant', onSuccess: 'reload', run: () => {} },
    report: { label: both('Report'), export: 'csv', deliver: 'link', response: 'notification' },
  },
  defaultActions: { export_excel: false },
}).definition

type Part = Readonly<Record<string, unknown>>

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value))

/** Returns the paths of everything in a definition that is no table, schema or expression of a library. */
const pathsIn = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  isPart(value)
    ? [
        ...(path.length > 0 ? [path] : []),
        ...Object.entries(value).flatMap(([key, part]) => pathsIn(part, [...path, key])),
      ]
    : [path]

const replaceTable = (value: unknown, [key, ...path]: readonly string[], by: unknown): unknown => {
  if (key === undefined) return by
  const copy: unknown = Array.isArray(value) ? [...value] : { ...Object(value) }
  Reflect.set(Object(copy), key, replaceTable(Reflect.get(Object(value), key), path, by))
  return copy
}

const wrong: readonly (readonly [name: string, value: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 42],
  ['a text', 'wrong'],
  ['an empty object', {}],
  ['an empty list', []],
  ['half of a label', { en: 'English only' }],
  ['true', true],
]

const own = new Set(['from', 'scope'])

describe('a table file with a mistake', () => {
  it.each(
    pathsIn(complete)
      .filter(([first]) => !own.has(first ?? ''))
      .map((path) => [path.join('.'), path] as const),
  )('is either refused at the registration or served without a 500: %s', async (_, path) => {
    for (const [name, value] of wrong) {
      const table = { definition: replaceTable(complete, path, value) } as Table<z.output<typeof fixtureClaims>>
      let registry: ReturnType<typeof createRegistry>
      try {
        registry = createRegistry([table], { claims: fixtureClaims }) as ReturnType<typeof createRegistry>
      } catch (error) {
        expect(String(error), name).toMatch(/cannot be registered:\n {2}- /)
        continue
      }
      const served = api.serve(registry)
      const [tableName] = registry.tables.keys()
      const responses = [
        await served.get(`load-table/${tableName}/true`),
        await served.post(`query-table/${tableName}`, { filters: { title: 'Order 2', flagged: 'all', state: 'all' } }),
        await served.post(`row-table-action/${tableName}/show_details/2`),
        await served.post(`row-table-action/${tableName}/note/2`),
      ]
      for (const { status, text } of responses) expect(status, `${name}: ${text}`).toBeLessThan(500)
      for (const entry of responses[0]?.json.filters ?? []) expect(entry.label, name).toEqual(expect.any(String))
    }
  })
})
