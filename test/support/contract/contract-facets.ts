import { expect } from 'vitest'
import type { CompiledFilter } from '../../../lib/table/compiled-table.ts'
import { isRaw } from '../../../lib/table/raw-column.ts'
import { adviseOnAll } from './contract-advice.ts'
import type { ContractValue } from './contract-data.ts'
import { findCell } from './contract-queries.ts'
import type { OfferedParts } from './contract-requests.ts'
import type { ContractSubject, SubjectCaller } from './contract-subject.ts'

interface Range {
  readonly from: string | number
  readonly to: string | number
}

interface AnsweredFacet {
  readonly options: readonly { readonly value: string | number | Range; readonly count: number }[]
  readonly more: boolean
}

/** The filters that have facets, of those whose values the contract can tell. */
export function listFacets({ table, data }: ContractSubject, { filters }: OfferedParts): readonly CompiledFilter[] {
  return [...table.filters.values()].filter(({ name, type, pair, source }) => {
    const kind = data.kinds.get(source.key)
    if (!filters.has(name) || type === 'text' || pair?.isFrom === false) return false
    if (kind === undefined || kind === 'json' || kind === 'array') return false
    if (kind === 'instant' && (table.timeZone ?? 'UTC') !== 'UTC') return false
    if (kind === 'decimal' && (type === 'select' || type === 'multi_select')) return false
    const shown = table.columns.filter((column) => column.source?.value === source.value)
    return shown.length === 0 || shown.some(isRaw)
  })
}

/** Compares the options of a facet, of a request without filters, with the rows of a caller. */
export function expectFacets(
  { table }: ContractSubject,
  caller: SubjectCaller,
  filter: CompiledFilter,
  { options, more }: AnsweredFacet,
): void {
  const { name, source, type, allowed } = filter
  const cells = caller.rows.map((row) => findCell(row, source.key))
  const message = `${caller.name}: the facet "${name}" counts something else than the values of "${source.key}": ${adviseOnAll(table, [source.key])}`
  if (type === 'number' || type === 'date') {
    const values = cells.flatMap((cell) => readPlace(cell, type) ?? [])
    const counted = options.map(({ value }) => values.filter((one) => isInside(one, value as Range)).length)
    expect(
      options.map(({ count }) => count),
      message,
    ).toEqual(counted)
    expect(
      counted.reduce((sum, count) => sum + count, 0),
      message,
    ).toBe(values.length)
    return
  }
  const counts = countTexts(cells.flatMap((cell) => readChoice(cell, type) ?? []))
  for (const { value, count } of options) expect(count, `${message} (${value})`).toBe(counts.get(String(value)))
  // A binding offers what its function returns, and a long list is cut.
  const isBound = 'options' in filter.definition && filter.definition.options === 'bindings'
  if (isBound || more) return
  const offered = [...counts.keys()].filter(
    (value) => allowed === undefined || type === 'boolean' || type === 'null' || allowed.has(value),
  )
  expect(new Set(options.map(({ value }) => String(value))), message).toEqual(new Set(offered))
}

function countTexts(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

function readChoice({ text, value }: ContractValue, type: CompiledFilter['type']): string | undefined {
  if (type === 'null') return value === null || Number.isNaN(value) ? 'not_set' : 'set'
  if (type === 'boolean') return value === null ? undefined : value === true ? '1' : '0'
  return text ?? undefined
}

function readPlace({ value }: ContractValue, type: 'number' | 'date'): string | number | undefined {
  if (value === null) return undefined
  if (type === 'date') return String(value).slice(0, 10)
  return Number.isFinite(Number(value)) ? Number(value) : undefined
}

const isInside = (value: string | number, { from, to }: Range): boolean => value >= from && value < to
