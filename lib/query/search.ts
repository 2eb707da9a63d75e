import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { readFaults, valueFault } from '../errors/request-error.ts'
import { foldText } from '../i18n/fold-text.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { TableView } from '../table/view.ts'
import type { ReadSearch, SearchedColumn, SearchTerm } from './plan-extensions.ts'
import { readText } from './read-value.ts'
import { findTerm } from './search-condition.ts'

type Faults = Record<string, readonly Bilingual[]>

const maxTerms = 20

/** Reads a text, or `{q, columns}`. Faults are added by their path, and then the result is `undefined`. */
export function readSearch(view: TableView, asked: unknown, fields: Faults): ReadSearch | undefined {
  const isObject = typeof asked === 'object' && asked !== null && !Array.isArray(asked)
  const { q, columns: chosen } = (isObject ? asked : { q: asked }) as {
    readonly q?: unknown
    readonly columns?: unknown
  }
  const columns = readColumns(view, chosen, fields)
  try {
    if ((q ?? undefined) === undefined) throw valueFault('required')
    const terms = parseTerms(readText(q))
    if (terms.length > maxTerms) throw valueFault('too_many', { max: maxTerms })
    return columns === undefined ? undefined : planSearch(terms, columns)
  } catch (error) {
    fields[isObject ? 'search.q' : 'search'] = readFaults(error)
    return undefined
  }
}

/** Returns the columns that a caller may search. */
const searchableColumns = ({ columns }: TableView): readonly SearchedColumn[] =>
  columns.flatMap((column) => {
    const { source, definition } = column
    return source === undefined || definition.search !== true ? [] : { ...column, source }
  })

function readColumns(view: TableView, chosen: unknown, fields: Faults): readonly SearchedColumn[] | undefined {
  const searchable = new Map(searchableColumns(view).map((column) => [column.key, column]))
  if (searchable.size === 0) {
    fields['search'] = [fieldFault('not_known')]
    return undefined
  }
  if (chosen === undefined || chosen === null) return [...searchable.values()]
  if (!Array.isArray(chosen)) fields['search.columns'] = [fieldFault('not_a_list')]
  else if (chosen.length === 0) fields['search.columns'] = [fieldFault('empty')]
  else {
    const wrong = chosen.findIndex((key) => !searchable.has(key))
    if (wrong < 0) return [...searchable.values()].filter(({ key }) => chosen.includes(key))
    fields[`search.columns.${wrong}`] = [listOptions(searchable.keys())]
  }
  return undefined
}

/** Returns each term once, also those that are too short. A quote without a second one holds to the end. */
export function parseTerms(text: string): readonly SearchTerm[] {
  const terms = new Map<string, SearchTerm>()
  let isQuoted = false
  for (const part of text.split(/["“”„]/u)) {
    for (const typed of isQuoted ? [part.trim()] : part.split(/\s+/u)) {
      const folded = foldText(typed).trim()
      if (typed !== '') terms.set(folded, { typed, folded, beginsWord: countLetters(folded) < minAnywhere })
    }
    isQuoted = !isQuoted
  }
  return [...terms.values()]
}

const minLength = 2
const minAnywhere = 3

const countLetters = (text: string): number => [...text].length

function planSearch(terms: readonly SearchTerm[], columns: readonly SearchedColumn[]): ReadSearch {
  const searched = terms.filter(({ folded }) => countLetters(folded) >= minLength)
  const sources = columns.map(({ source }) => source)
  return {
    applied: searched.length === 0 ? undefined : { terms: searched, columns },
    filtered: [],
    conditions: searched.map((one) => findTerm(one, sources)),
    hasShortWord: searched.length < terms.length || terms.length === 0,
    meaning: searched.length === 0 ? null : [searched.map(({ folded }) => folded), columns.map(({ key }) => key)],
  }
}
