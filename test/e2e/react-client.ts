import * as z from 'zod'
import { assertDescribedDemo } from '../support/openapi/described-demo.ts'
import type { ApiResponse } from '../support/requests/api.ts'
import type { DemoIdentity, DemoStack } from '../support/stack/demo-stack.ts'

const urls = z.object({ api: z.string(), web: z.string().optional() })

const action = z.looseObject({
  action_key: z.string(),
  action: urls,
  onSuccess: z.string(),
  onBulkSuccess: z.string().optional(),
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

interface ClientResponse {
  readonly status: number
  readonly json: ApiResponse['json']
}

/** A table on the client's screen. */
export interface Screen {
  readonly rows: () => readonly ClientItem[]
  readonly row: (place: number) => ClientItem
  /** Runs an action of one row without fields, or with those of its form, and does what the response says. */
  readonly click: (row: ClientItem, key: string, fields?: object) => Promise<ClientResponse>
  /** A `custom_control` over several rows: all ids go to the URL of the first row. */
  readonly control: (rows: readonly ClientItem[], key: string, fields: object) => Promise<ClientResponse>
  /** Runs an action on the ticked rows, at its bulk URL. */
  readonly clickTicked: (rows: readonly ClientItem[], key: string, fields?: object) => Promise<ClientResponse>
  /** Runs an action of the toolbar, on the ticked rows or on all. */
  readonly clickToolbar: (key: string, body?: object) => Promise<ClientResponse>
}

/**
 * Sends requests as the existing React client for this kind of server does. Filters and sorts are objects, its scope is
 * flat in the query, and numbers are texts. It sends keys that mean nothing, no cookies, no params with actions, and
 * removes the first `/api` of URLs.
 */
export function reactClient(stack: DemoStack, as: DemoIdentity, language: string) {
  const base = `${stack.facts().base_url}/api/api-table/control-tables`
  const headers = { accept: 'application/json', authorization: `Bearer ${stack.createToken(as)}`, ln: language }
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
    const received = { status: response.status, headers: Object.fromEntries(response.headers), json }
    assertDescribedDemo(response.url, body, { ...received, text: JSON.stringify(json) })
    return { status: response.status, json }
  }
  const scope = '?request_id=17&warehouse=main'
  const load = async (table: string, withData = false, params: Readonly<Record<string, string>> = {}) => {
    const query = `${scope}${Object.entries(params).map(([key, value]) => `&${key}=${encodeURIComponent(value)}`)}`
    return structure.parse((await ask(`${base}/load-table/${table}${withData ? '/true' : ''}${query}`)).json)
  }
  const query = async (table: string, state: object) => {
    const body = { filters: {}, sorts: {}, page: '1', perPage: '20', params: {}, ...state }
    return page.parse((await ask(`${base}/query-table/${table}${scope}`, body)).json)
  }
  return {
    load,
    query,
    /** Opens a table: its structure, and the page that `state` asks for. */
    open: (
      table: string,
      state: { readonly params?: Readonly<Record<string, string>>; readonly [key: string]: unknown },
    ) =>
      openScreen({
        load: () => load(table, false, state.params),
        query: () => query(table, state),
        post: (url, body) => ask(url, body),
      }),
    /** Clicks a button of the row: sends its form's fields, or an empty selection. */
    click: async (row: ClientItem, key: string, fields: object = { selected_ids: [] }) => {
      const entry = row.actions[key]
      if (entry === undefined) throw new Error(`the row does not offer ${key}`)
      return ask(entry.action.api, fields)
    },
    post: (url: string, body: object) => ask(url, body),
    /** A link is opened by the browser: no header of the client is sent along. */
    download: async (url: string) => {
      const response = await fetch(url)
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    },
  }
}

/** Returns the text of a cell and the style of its badge. The client leaves a cell of any other type empty. */
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

interface Service {
  readonly load: () => Promise<z.output<typeof structure>>
  readonly query: () => Promise<z.output<typeof page>>
  readonly post: (url: string, body: object) => Promise<ClientResponse>
}

async function openScreen({ load, query, post }: Service): Promise<Screen> {
  let [known, { items }] = await Promise.all([load(), query()])
  const findEntry = (row: ClientItem, key: string) => {
    const entry = row.actions[key]
    if (entry === undefined) throw new Error(`the row does not offer ${key}`)
    return entry
  }
  /** Does what a response says, to the rows that the request was about. */
  const apply = async (onSuccess: string, { status, json }: ClientResponse, ids: readonly number[]): Promise<void> => {
    if (status !== 200) return
    if (onSuccess === 'refetchRow')
      items = items.map((row) => (row.id === json.data.row.id ? item.parse(json.data.row) : row))
    if (onSuccess === 'deleteRow') items = items.filter(({ id }) => !ids.includes(id))
    if (onSuccess === 'reload') known = await load()
    if (onSuccess === 'refetchData' || onSuccess === 'reload') ({ items } = await query())
  }
  const run = async (url: string, body: object, ids: readonly number[]): Promise<ClientResponse> => {
    const response = await post(url, body)
    await apply(String(response.json.onSuccess), response, ids)
    return response
  }
  const listIds = (rows: readonly ClientItem[]) => rows.map(({ id }) => id)
  return {
    rows: () => items,
    row: (place) => {
      const row = items[place]
      if (row === undefined) throw new Error(`the page has no row ${place}`)
      return row
    },
    click: async (row, key, fields) => {
      const { action: at, onSuccess } = findEntry(row, key)
      if (onSuccess !== 'OpenModalForm') return run(at.api, { selected_ids: [], ...fields }, [row.id])
      const form = await post(at.api, { selected_ids: [] })
      const submitted = await post(form.json.url, { ...form.json.payload.values, ...fields })
      // The second response is followed by what the first one said.
      await apply(form.json.onSuccess, submitted, [row.id])
      return submitted
    },
    control: (rows, key, fields) => {
      const [first] = rows
      if (first === undefined) throw new Error('no row is ticked')
      return run(findEntry(first, key).action.api, { selected_ids: listIds(rows), ...fields }, listIds(rows))
    },
    clickTicked: (rows, key, fields) =>
      run(
        known.rowActions[key]?.bulk_actions_url?.api ?? '',
        { selected_ids: listIds(rows), ...fields },
        listIds(rows),
      ),
    clickToolbar: (key, body) => {
      const entry = known.bulkActions.find(({ action_key }) => action_key === key)
      return run(entry?.action.api ?? '', { filters: {}, selected_ids: [], ...body }, [])
    },
  }
}

/** A filter as that client sends it: all that the structure said of it, and the value. */
export const chip = (filters: z.output<typeof structure>['filters'], name: string, value: unknown) => {
  const entry = filters.find(({ filter_name }) => filter_name === name)
  if (entry === undefined) throw new Error(`there is no filter ${name}`)
  return { [name]: { ...entry, key: name, operator: entry.props.operators[0], value } }
}
