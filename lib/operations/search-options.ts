import type { Database } from '../db/database.ts'
import { bind, createStatement } from '../db/statement.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { allReadable, readFaults, validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { distinctText, escapeLike, hasValue, isPadded, sourceText } from '../query/compare.ts'
import { loadPlanExtensions } from '../query/load-plan-extensions.ts'
import { joinText, scopeText, whereText } from '../query/page-statement.ts'
import { type Plan, planRows, type Warning } from '../query/plan.ts'
import type { SearchTerm } from '../query/plan-extensions.ts'
import { maxTextLength, readText, readWhole } from '../query/read-value.ts'
import { parseTerms } from '../query/search.ts'
import type { Bindings } from '../rows/bindings.ts'
import { otherFilters } from '../rows/facets.ts'
import { type JsonText, jsonList } from '../rows/json-text.ts'
import type { Option } from '../table/context.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { listSearchedFilters, type SearchedFilter } from '../table/searched-filters.ts'
import type { Source } from '../table/source.ts'
import { isObject } from '../table/unknown-body.ts'
import type { TableView } from '../table/view.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

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
 * Returns a page of the options of one filter, instead of rows: the values in the rows that the rest of the request
 * selects, but for the flat filters of the same name.
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
  if (!isObject(asked)) throw validationFailed({ options: [fieldFault('not_an_object')] })
  const own = (key: string) => ownValue(asked, key) ?? undefined
  const [filter, terms, page, limit] = allReadable([
    () => findFilter(view, own('field')),
    () => readTerms(own('search') ?? ''),
    () => readWhole(own('page') ?? 1, 1, maxPage, 'options.page'),
    () => readWhole(own('limit') ?? defaultLimit, 1, maxLimit, 'options.limit'),
  ])
  return { filter, terms, page, limit, offset: (page - 1) * limit }
}

/** A filter that is hidden from the caller and one whose options are not searched are missing alike. */
function findFilter(view: TableView, name: unknown): SearchedFilter {
  const searched = listSearchedFilters(view)
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

/** An option of a select, and how many of the selected rows have it. */
interface CountedOption extends Option {
  readonly count: number
}

/** The options that a client asks for; each term must occur in the value or the label. */
interface AskedOptions {
  readonly filter: SearchedFilter
  readonly terms: readonly SearchTerm[]
  readonly offset: number
  readonly limit: number
}

/** A relation may have any name but one like this. */
const values = '"__values"'

/** Returns the join of a label that belongs to the value alone, if values that are equal have equal texts. */
function findLabelJoin({ source, optionLabel: { join } }: SearchedFilter) {
  const [pair, ...more] = join?.pairs ?? []
  if (join === undefined || pair === undefined || more.length > 0 || source.join !== undefined) return undefined
  const isOwn = join.parent === undefined && pair[1] === source.expression(createStatement())
  return isOwn && hasOneText(source) ? { table: join.table, related: pair[0] } : undefined
}

const hasOneText = (source: Source): boolean =>
  source.kind === 'integer' ||
  source.kind === 'uuid' ||
  (source.kind === 'text' && source.sqlType !== 'citext' && !isPadded(source))

/**
 * Reads the values that the rows of the plan have, by their labels, and one beyond `limit` where more follow. Values
 * are grouped before they are folded, and before a label that each has once is joined: they are far fewer than rows.
 */
async function readOptions(
  database: Pick<Database, 'read'>,
  opened: OpenedTable,
  plan: Plan,
  { filter, terms, offset, limit }: AskedOptions,
): Promise<readonly CountedOption[]> {
  const statement = createStatement()
  const { source, optionLabel } = filter
  const conditions = [
    ...scopeText(statement, opened),
    ...plan.conditions.map((condition) => condition(statement)),
    hasValue(source, true)(statement),
  ]
  const own = findLabelJoin(filter)
  const read = own === undefined ? [source, optionLabel] : [source]
  const rows = `from ${opened.view.table.text}${joinText([...plan.filtered, ...read])}${whereText(conditions)}`
  const value = distinctText(source, statement)
  const label = distinctText(optionLabel, statement)
  const options =
    own === undefined
      ? `select v, coalesce(l, v) as l, n from (select ${value.text} as v, ${label.text} as l, count(*)::text as n ${rows} ` +
        `group by ${value.by ?? '1'}, ${label.by ?? '2'}) ${values}`
      : `select ${values}.v::text as v, coalesce((${sourceText(optionLabel, statement)})::text, ${values}.v::text) as l, ` +
        `${values}.n from (select ${source.expression(statement)} as v, count(*)::text as n ${rows} group by 1) ${values} ` +
        `left join ${own.table} on ${own.related} = ${values}.v`
  const matches = terms.map((term) => {
    const pattern = bind(statement, `%${escapeLike(term.folded)}%`)
    return `(table_control.fold_text(v) like ${pattern} or table_control.fold_text(l) like ${pattern})`
  })
  // A filter takes no longer values.
  const isShort = source.kind === 'integer' || source.kind === 'uuid' ? [] : [`char_length(v) <= ${maxTextLength}`]
  const page = `limit ${bind(statement, limit + 1)} offset ${bind(statement, offset)}`
  const found = await database.read(
    `select v, l, n from (${options}) o${whereText([...matches, ...isShort])} order by l, v ${page}`,
    statement.parameters,
  )
  return found.map(([own, text, count]) => ({ value: String(own), label: String(text), count: Number(count) }))
}
