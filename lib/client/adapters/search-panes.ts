import type { FacetOption } from '../queries.ts'
import { createUnsupported, type GridPage } from './grid-client.ts'
import { createFilter, type GridPart, joinFilters } from './grid-filters.ts'

/** The choices of SearchPanes' request by the `data` of columns; a missing value is null. */
export type SearchPanes = Readonly<Record<string, Readonly<Record<string, string | null>>>>

/** The options of panes in an answer: SearchPanes shows `count` of `total`. */
export interface PaneOptions {
  readonly options: Readonly<Record<string, readonly PaneOption[]>>
}

interface PaneOption {
  readonly label: string
  readonly value: string | number
  readonly count: number
  readonly total: number
}

/** Translates the choices of panes. `findField` returns the name of the filter of a column. */
export const readSearchPanes = (panes: SearchPanes, findField: (data: string) => string): readonly GridPart[] =>
  Object.entries(panes).flatMap(([data, choices]) => {
    const field = findField(data)
    const values = Object.values(choices)
    const texts = values.filter((value) => value !== null)
    const listed = texts.length === 0 ? [] : [createFilter(field, 'in', texts)]
    return joinFilters([...listed, ...(texts.length < values.length ? [createFilter(field, 'is null')] : [])], 'or')
  })

/** Returns the options of panes by the facets of a page. Both numbers are those of the rows that all other columns select. */
export function toPaneOptions(
  panes: readonly string[],
  findField: (data: string) => string,
  { facets = {} }: Pick<GridPage, 'facets'>,
): PaneOptions {
  const toOption = (data: string, { value, label, count }: FacetOption): PaneOption => {
    if (typeof value === 'object') throw createUnsupported(`a pane of "${data}", whose values are ranges`)
    return { value, label, count, total: count }
  }
  const entries = panes.map((data) => {
    const { options = [] } = facets[findField(data)] ?? {}
    return [data, options.map((option) => toOption(data, option))] as const
  })
  return { options: Object.fromEntries(entries) }
}
