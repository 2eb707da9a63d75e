import * as z from 'zod'
import type { ApiResponse } from './api.ts'
import type { DemoIdentity, DemoStack } from './demo-stack.ts'
import { assertDescribedDemo } from './described-demo.ts'

const urls = z.object({ api: z.string(), web: z.string().optional() })

const action = z.looseObject({
  action_key: z.string(),
  action: urls,
  payload_keys: z.array(z.string()),
  bulk_actions_url: urls.optional(),
  toggle_current_value: z.boolean().optional(),
})

const filter = z.looseObject({
  filter_name: z.string(),
  props: z.looseObject({
    operators: z.array(z.string()).min(1),
    select_options: z.record(z.string(), z.string()).optional(),
  }),
})

const item = z.looseObject({ id: z.number(), actions: z.record(z.string(), action) })

const column = z.looseObject({
  type: z.string(),
  label: z.string(),
  data_src: z.string(),
  sortable: z.boolean(),
  values_formating: z.record(z.string(), z.unknown()).optional(),
})

/** The client has no use for `advancedFilters` and `bindings`. */
const structure = z.object({
  label: z.string(),
  columns: z.array(column),
  filters: z.array(filter),
  defSortCol: z.string(),
  defSortDir: z.string(),
  rowActions: z.record(z.string(), action),
  bulkActions: z.array(action),
  data: z.array(item).optional(),
})

const page = z.object({
  items: z.array(item),
  warnings: z.array(z.unknown()).optional(),
  pagination: z.looseObject({ total: z.number(), last_page: z.number() }),
})

export type ClientItem = z.output<typeof item>

/**
 * The React client that exists for this kind of server, as far as its requests tell: filters and sorts as objects, its scope flat
 * in the query, keys that mean nothing, numbers as texts, no cookies, and every URL without its first `/api`.
 */
export function reactClient(stack: DemoStack, as: DemoIdentity, language: string) {
  const base = `${stack.facts().base_url}/api/api-table/control-tables`
  const headers = { accept: 'application/json', authorization: `Bearer ${stack.tokenOf(as)}`, ln: language }
  const ask = async (url: string, body?: object) => {
    const post = { method: 'POST', body: JSON.stringify({ 0: 'j', 1: 'u', ...body }) }
    const written = { ...headers, 'content-type': 'application/json' }
    const response = await fetch(url.replace('/api', ''), {
      credentials: 'omit',
      headers: body === undefined ? headers : written,
      ...(body !== undefined && post),
    })
    if (response.headers.has('set-cookie')) throw new Error('the service has set a cookie')
    const json: ApiResponse['json'] = await response.json()
    const answer = { status: response.status, headers: Object.fromEntries(response.headers), json }
    assertDescribedDemo(body === undefined ? 'GET' : 'POST', response.url, { ...answer, text: JSON.stringify(json) })
    return { status: response.status, json }
  }
  const scope = '?request_id=17&warehouse=main'
  return {
    load: async (table: string, withData = false) =>
      structure.parse((await ask(`${base}/load-table/${table}${withData ? '/true' : ''}${scope}`)).json),
    query: async (table: string, state: object) => {
      const body = { filters: {}, sorts: {}, page: '1', perPage: '20', params: {}, ...state }
      return page.parse((await ask(`${base}/query-table/${table}${scope}`, body)).json)
    },
    /** What a click on a button of the row does: its form's fields, or an empty selection. */
    click: async (row: ClientItem, key: string, fields: object = { selected_ids: [] }) => {
      const entry = row.actions[key]
      if (entry === undefined) throw new Error(`the row does not offer ${key}`)
      return ask(entry.action.api, fields)
    },
    post: (url: string, body: object) => ask(url, body),
    /** A link is opened by the browser: no header of the client is sent along. */
    open: async (url: string) => {
      const response = await fetch(url)
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    },
  }
}

/** What that client shows in a cell: a text, and the style of its badge. It leaves a cell of any other type empty. */
export function drawnCell({ type, data_src, values_formating = {} }: z.output<typeof column>, row: ClientItem) {
  const value = row[data_src]
  const isMissing = value === null || value === undefined
  if (type === 'boolean') {
    const [style, label] = value === true ? ['trueBool', 'trueLabel'] : ['falseBool', 'falseLabel']
    return { text: String(values_formating[label] ?? ''), style: values_formating[style] }
  }
  if (isMissing) return { text: '' }
  if (type === 'text') {
    const shown = shownValue.safeParse(values_formating[String(value)])
    return shown.success ? { text: shown.data.showValue, style: shown.data.style } : { text: String(value) }
  }
  if (type === 'datalist') return { text: z.array(z.string()).parse(value).join(', ') }
  if (type === 'link') return { text: typeof value === 'object' ? String(Reflect.get(value, 'label')) : String(value) }
  return { text: ['text_truncate', 'html', 'barcode'].includes(type) ? String(value) : '' }
}

const shownValue = z.object({ showValue: z.string(), style: z.string().optional() })

/** A day as its date picker sends it: the instant of the local midnight, here of a client in Riyadh. */
export const pickedDay = (day: string): string => new Date(`${day}T00:00:00+03:00`).toISOString()

/** A filter as that client sends it: all that the structure said of it, and the value. */
export const chip = (filters: z.output<typeof structure>['filters'], name: string, value: unknown) => {
  const entry = filters.find(({ filter_name }) => filter_name === name)
  if (entry === undefined) throw new Error(`there is no filter ${name}`)
  return { [name]: { ...entry, key: name, operator: entry.props.operators[0], value } }
}
