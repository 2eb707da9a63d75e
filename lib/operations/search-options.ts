import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { allReadable, readFaults, validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { loadPlanExtensions } from '../query/load-plan-extensions.ts'
import { planRows, type Warning } from '../query/plan.ts'
import type { SearchTerm } from '../query/plan-extensions.ts'
import { readText, readWhole } from '../query/read-value.ts'
import { parseTerms } from '../query/search.ts'
import type { Bindings } from '../rows/bindings.ts'
import { otherFilters } from '../rows/facets.ts'
import { type JsonText, jsonList } from '../rows/json-text.ts'
import { type AskedOptions, readOptions } from '../rows/searched-options.ts'
import type { TableView } from '../table/view.ts'
import { ownValue, type Payload, type TableRequest, type UnknownBody } from './table-request.ts'

const maxTerms = 20
const defaultLimit = 50
const maxLimit = 100
const maxPage = 1_000

/** A page of query-table whose `pagination` counts options. */
interface OptionsPage extends Payload {
  readonly items: JsonText
  readonly pagination: Payload
  readonly bindings: Bindings
  readonly warnings?: readonly Warning[]
}

/**
 * Returns a page of the options of one filter, instead of rows: the values in the rows that the rest of the request selects, but for the flat
 * filters of the same name.
 */
export async function searchOptions(request: TableRequest): Promise<OptionsPage> {
  const { view, body, context, database } = request
  const extensions = await loadPlanExtensions(request, body, request.config.SERVICE_SECRET)
  const flat = { filters: ownValue(body, 'filters'), extensions }
  const [asked, whole] = allReadable([
    () => planOptions(view, ownValue(body, 'options')),
    () => planRows(view, flat, context.timeZone),
  ])
  const { filter, page, limit, offset } = asked
  const plan = planRows(view, { ...flat, filters: otherFilters(flat, filter) }, context.timeZone)
  const found = await readOptions(database, request, plan, asked)
  const options = found.slice(0, limit)
  const hasMore = found.length > limit
  const end = offset + options.length
  const isEmpty = options.length === 0
  return {
    items: jsonList([]),
    pagination: {
      current_page: page,
      per_page: limit,
      total: isEmpty ? 0 : end,
      last_page: hasMore ? page + 1 : isEmpty ? 1 : page,
      from: isEmpty ? null : offset + 1,
      to: isEmpty ? null : end,
      total_kind: hasMore || (isEmpty && page > 1) ? 'at_least' : 'exact',
      next_cursor: null,
    },
    bindings: { [filter.name]: options },
    ...(whole.warnings.length > 0 && { warnings: whole.warnings }),
  }
}

interface PlannedOptions extends AskedOptions {
  readonly page: number
}

/** Throws `validation_failed` naming each part that cannot be read. */
function planOptions(view: TableView, asked: unknown): PlannedOptions {
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked))
    throw validationFailed({ options: [fieldFault('not_an_object')] })
  const options = asked as UnknownBody
  const own = (key: string) => ownValue(options, key) ?? undefined
  const [filter, terms, page, limit] = allReadable([
    () => findFilter(view, own('field')),
    () => readTerms(own('search') ?? ''),
    () => readWhole(own('page') ?? 1, 1, maxPage, 'options.page'),
    () => readWhole(own('limit') ?? defaultLimit, 1, maxLimit, 'options.limit'),
  ])
  return { filter, terms, page, limit, offset: (page - 1) * limit }
}

/** A filter that is hidden from the caller and one whose options are not searched are missing alike. */
function findFilter({ filters }: TableView, name: unknown): AskedOptions['filter'] {
  const searched = new Map(
    [...filters.values()].flatMap((filter) => {
      const { optionLabel } = filter
      return optionLabel === undefined ? [] : [[filter.name, { ...filter, optionLabel }] as const]
    }),
  )
  if (searched.size === 0) throw validationFailed({ options: [fieldFault('not_known')] })
  const filter = typeof name === 'string' ? searched.get(name) : undefined
  if (filter !== undefined) return filter
  const fault: Bilingual = name === undefined ? fieldFault('required') : listOptions(searched.keys())
  throw validationFailed({ 'options.field': [fault] })
}

/** Returns the words, also those of one character: values are few enough to be read. */
function readTerms(search: unknown): readonly SearchTerm[] {
  const fault = (texts: readonly Bilingual[]) => validationFailed({ 'options.search': texts })
  try {
    const terms = parseTerms(readText(search)).filter(({ folded }) => folded !== '')
    if (terms.length <= maxTerms) return terms
  } catch (error) {
    throw fault(readFaults(error))
  }
  throw fault([fieldFault('too_many', { max: maxTerms })])
}
