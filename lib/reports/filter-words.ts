import { type Language, textOf } from '../i18n/language.ts'
import { labelOfKey } from '../table/action-key.ts'
import type { CompiledFilter, CompiledSort } from '../table/compiled-table.ts'
import type { AppliedFilter, FilterScalar } from '../table/context.ts'
import { choices } from '../table/filter-entry.ts'
import type { TableView } from '../table/view.ts'
import type { ReportRequest } from './report-request.ts'
import { operatorWords, reportWords } from './report-words.ts'

type Asked = Pick<ReportRequest, 'view' | 'plan' | 'context'>

/** The filters of a plan, each as a sentence such as `Status is Open`. */
export function filterWords({ view, plan, context: { language } }: Asked): readonly string[] {
  return plan.restrictions.flatMap(([name, applied]) => {
    const filter = view.filters.get(name)
    return filter === undefined || isNoRestriction(applied) ? [] : sentence(filter, applied, language)
  })
}

const isNoRestriction = ({ value }: AppliedFilter): boolean =>
  value === 'all' || (Array.isArray(value) && value.length === 1 && value[0] === 'all')

function sentence(filter: CompiledFilter, { operator, value }: AppliedFilter, language: Language): readonly string[] {
  const label = textOf(filter.definition.label, language)
  const say = (word: string, text: string) =>
    `${label} ${operatorWords(word, filter.type === 'date', language)} ${text}`
  if (typeof value !== 'object') return [say(operator, valueWords(filter, value, language))]
  if ('length' in value) {
    const values = value.map((entry) => valueWords(filter, entry, language))
    return [
      say(operator, values.join(operator === 'between' ? reportWords(language).and : language === 'ar' ? '، ' : ', ')),
    ]
  }
  return [
    ...(value.from === undefined ? [] : [say('>=', value.from)]),
    ...(value.to === undefined ? [] : [say('<=', value.to)]),
  ]
}

/** What the filter form shows for a value, where it is one of a choice. */
function valueWords(filter: CompiledFilter, value: FilterScalar, language: Language): string {
  const labels = new Map(choices(filter.definition, [], language))
  const key =
    filter.type === 'boolean'
      ? value
        ? '1'
        : '0'
      : filter.type === 'null'
        ? value
          ? 'set'
          : 'not_set'
        : String(value)
  return labels.get(key) ?? String(value)
}

/** The order of a plan, each sort as words such as `Departure, descending`; what only breaks ties is left out. */
export function sortWords({ view, plan, context: { language } }: Asked): readonly string[] {
  const { ascending, descending } = reportWords(language)
  const said = plan.order.length > 1 ? plan.order.filter(({ source }) => source !== view.table.key) : plan.order
  return said.flatMap(({ source, direction }) => {
    const label = sortLabel(view, source, language)
    return label === undefined
      ? []
      : `${label}${language === 'ar' ? '، ' : ', '}${direction === 'asc' ? ascending : descending}`
  })
}

/** `undefined` for what the caller may not know of. */
function sortLabel(
  { columns, table }: TableView,
  source: CompiledSort['source'],
  language: Language,
): string | undefined {
  const column = columns.find(({ key }) => key === source.key)
  if (column !== undefined) return textOf(column.definition.label, language)
  return table.columns.some(({ key }) => key === source.key) ? undefined : labelOfKey(source.key)
}
