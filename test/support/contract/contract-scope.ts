import { expect } from 'vitest'
import type { ApiResponse } from '../requests/api.ts'
import type { ContractRow } from './contract-data.ts'
import type { ContractSubject, SubjectCaller } from './contract-subject.ts'

/** Asks every endpoint as one caller, who must get their own rows and learn nothing of any other. */
export async function scopeEndpoints(subject: ContractSubject, caller: SubjectCaller): Promise<void> {
  const { table, api, params } = subject
  const name = encodeURIComponent(table.name)
  const post = (path: string, body: object) =>
    api.post(path, { ...(params && { params }), ...body }, { as: caller.identity })
  const structure = await api.get(`load-table/${name}`, { as: caller.identity })
  const first = params ? undefined : await api.get(`load-table/${name}/true`, { as: caller.identity })
  if (first) expectOwn(caller, 'load-table', first, first.json.data)
  const page = await post(`query-table/${name}`, { perPage: table.maxPerPage })
  expectOwn(caller, 'query-table', page, page.json.items, Math.min(table.maxPerPage, caller.rows.length))
  const [gone] = missingIds(subject)
  for (const row of sample(caller.hidden)) await expectGone(`row-refetch/${name}`, row.id)
  for (const row of sample(caller.rows)) {
    const found = await post(`row-refetch/${name}/${encodeURIComponent(row.id)}`, {})
    expect(found.status, `${caller.name}: row-refetch of ${row.id}: ${found.text}`).toBe(200)
  }
  await expectSeveral()
  for (const { key } of actionsIn(table.rowActions, structure)) {
    for (const row of sample(caller.hidden))
      await expectGone(`row-table-action/${name}/${encodeURIComponent(key)}`, row.id)
  }
  for (const { key } of actionsIn(table.bulkActions, structure)) {
    const path = `bulk-table-action/${name}/${encodeURIComponent(key)}`
    await expectCount(path, {}, caller.rows.length)
    const selected = [...sample(caller.rows), ...sample(caller.hidden)]
    await expectCount(path, { selected_ids: selected.map(({ id }) => toId(id)) }, sample(caller.rows).length)
  }

  async function expectGone(path: string, id: string): Promise<void> {
    const asked = await post(`${path}/${encodeURIComponent(id)}`, {})
    const never = await post(`${path}/${gone}`, {})
    const message = `${caller.name}: ${path}/${id} of a row that is not theirs: ${asked.text}`
    expect(asked.json.success, message).toBe(false)
    expect(comparable(asked), message).toEqual(comparable(never))
  }

  async function expectSeveral(): Promise<void> {
    const rows = [...sample(caller.hidden), ...sample(caller.rows)]
    const { status, json, text } = await post(`multi-row-refetch/${name}`, { row_ids: rows.map(({ id }) => toId(id)) })
    expect(status, text).toBe(200)
    expect(idsIn(json.items), `${caller.name}: multi-row-refetch`).toEqual(sample(caller.rows).map(({ id }) => id))
  }

  async function expectCount(path: string, body: object, selected: number): Promise<void> {
    const { status, json, text } = await post(path, { ...body, dry_run: true })
    // An action may refuse so many rows, or want fields: then it tells nothing of them.
    if (status === 422) return
    expect(status, `${caller.name}: ${path}: ${text}`).toBe(200)
    expect(json.counts.selected, `${caller.name}: ${path} ${JSON.stringify(body)}`).toBe(selected)
  }

  function toId(id: string): string | number {
    return table.key.kind === 'integer' && Number.isSafeInteger(Number(id)) ? Number(id) : id
  }
}

/** Some of many, the same each time. */
const sample = (rows: readonly ContractRow[]): readonly ContractRow[] =>
  rows.filter((_, index) => index % Math.ceil(rows.length / 5) === 0)

const idsIn = (items: readonly { readonly id: unknown }[]): readonly string[] => items.map(({ id }) => String(id))

function expectOwn(
  caller: SubjectCaller,
  endpoint: string,
  { status, text }: ApiResponse,
  items: readonly { readonly id: unknown }[],
  count = Math.min(20, caller.rows.length),
): void {
  expect(status, `${caller.name}: ${endpoint}: ${text}`).toBe(200)
  const own = new Set(caller.rows.map(({ id }) => id))
  const foreign = idsIn(items).filter((id) => !own.has(id))
  expect(foreign, `${caller.name}: ${endpoint} has rows that are not theirs`).toEqual([])
  expect(items.length, `${caller.name}: ${endpoint} has all of their rows`).toBe(count)
}

/** Ids of the key's type that no row has. */
function missingIds({ table, data }: ContractSubject): readonly string[] {
  const taken = new Set(data.rows.map(({ id }) => id))
  const candidates = ['30000', '2147483000', 'nothing-has-this', '99999999-aaaa-4bbb-8ccc-999999999999', '2099-12-31']
  const kinds = { integer: [0, 1], decimal: [0, 1], uuid: [3], date: [4], timestamp: [4], instant: [4] } as const
  const places: readonly number[] = kinds[table.key.kind as keyof typeof kinds] ?? [2]
  return places.map((place) => candidates[place] ?? '').filter((id) => !taken.has(id))
}

/** The actions that this caller is told of. */
const actionsIn = <Action extends { readonly key: string }>(actions: readonly Action[], { text }: ApiResponse) =>
  actions.filter(({ key }) => text.includes(JSON.stringify(key)))

/** Returns a response without the parts that differ between any two requests. */
const comparable = ({ status, json: { request_id: _, ...rest } }: ApiResponse) => ({ status, rest })
