import type {
  AdvancedFilterModel,
  BooleanAdvancedFilterModelType,
  IServerSideGetRowsRequest,
  ISimpleFilterModelPresetType,
  ISimpleFilterModelType,
} from 'ag-grid-community'
import { none } from '../filter-groups.ts'
import { createUnsupported, toDay } from './grid-client.ts'
import {
  createCondition,
  createDateFilter,
  createFilter,
  type Equivalents,
  type GridPart,
  joinFilters,
} from './grid-filters.ts'

const equivalents: Equivalents<Exclude<ISimpleFilterModelType, ISimpleFilterModelPresetType | 'empty'>> = {
  equals: '=',
  notEqual: '!=',
  inRange: 'between',
  blank: 'is null',
  notBlank: 'is not null',
  contains: 'like',
  notContains: 'not like',
  startsWith: 'starts with',
  endsWith: 'ends with',
  lessThan: '<',
  lessThanOrEqual: '<=',
  greaterThan: '>',
  greaterThanOrEqual: '>=',
}

type Booleans = Exclude<BooleanAdvancedFilterModelType, ISimpleFilterModelType>

const booleans: Readonly<Record<Booleans, boolean>> = { true: true, false: false }

/** The periods of the grid that the service has: a list is of periods that follow each other. */
type Period = string | readonly [string, string]

const periods: Readonly<Record<Exclude<ISimpleFilterModelPresetType, `last${number}Months`>, Period>> = {
  today: 'today',
  yesterday: 'yesterday',
  tomorrow: 'tomorrow',
  thisWeek: 'this_week',
  lastWeek: 'last_1_weeks',
  nextWeek: 'next_1_weeks',
  thisMonth: 'this_month',
  lastMonth: 'last_1_months',
  nextMonth: 'next_1_months',
  thisQuarter: 'this_quarter',
  lastQuarter: 'last_1_quarters',
  nextQuarter: 'next_1_quarters',
  thisYear: 'this_year',
  lastYear: 'last_1_years',
  nextYear: 'next_1_years',
  // The grid's periods include the whole of today.
  yearToDate: ['year_to_date', 'today'],
  last7Days: ['last_7_days', 'today'],
  last30Days: ['last_30_days', 'today'],
  last90Days: ['last_90_days', 'today'],
}

/** The members of all filter models of the grid. */
interface AnyModel {
  readonly filterType?: string
  readonly type?: string | null
  readonly operator?: 'AND' | 'OR'
  readonly conditions?: readonly AnyModel[]
  readonly filterModels?: readonly (AnyModel | null)[] | null
  readonly colId?: string
  readonly filter?: string | number | null
  readonly filterTo?: string | number | null
  readonly dateFrom?: string | null
  readonly dateTo?: string | null
  readonly values?: readonly (string | null)[]
}

/** Translates the models of column filters, or that of the advanced filter. */
export function toFilters(model: IServerSideGetRowsRequest['filterModel']): readonly GridPart[] {
  if (model === null) return []
  if (isAdvanced(model)) return readAdvanced(model)
  return Object.entries(model).flatMap(([field, column]) => readModel(field, column as AnyModel))
}

/** A column may be called `filterType`, but its model is no text. */
const isAdvanced = (model: object): model is AdvancedFilterModel =>
  'filterType' in model && typeof model.filterType === 'string'

function readAdvanced(model: AdvancedFilterModel): readonly GridPart[] {
  if (model.filterType !== 'join') return readModel(model.colId, model as AnyModel)
  return joinFilters(model.conditions.flatMap(readAdvanced), model.type === 'OR' ? 'or' : 'and')
}

function readModel(field: string, model: AnyModel): readonly GridPart[] {
  const { filterType = '', operator, conditions, filterModels, values } = model
  const type = model.type ?? ''
  if (filterType === 'multi') return (filterModels ?? []).flatMap((child) => (child ? readModel(field, child) : []))
  if (conditions !== undefined) {
    const parts = conditions.flatMap((condition) => readModel(field, condition))
    return joinFilters(parts, operator === 'OR' ? 'or' : 'and')
  }
  if (type === 'empty') return []
  if (filterType === 'set') return [readSet(field, type, values ?? [])]
  if (filterType.startsWith('date')) return readDate(field, type, model)
  if (Object.hasOwn(booleans, type)) return [createFilter(field, '=', booleans[type as Booleans])]
  if (!/^(text|number|bigint|object|boolean)$/.test(filterType)) {
    throw createUnsupported(`a filter of type "${filterType}"`)
  }
  const { filter, filterTo } = model
  return [
    createCondition(equivalents, { field, operator: type, value: type === 'inRange' ? [filter, filterTo] : filter }),
  ]
}

/** A list may have null for missing values. */
function readSet(field: string, type: string, values: readonly (string | null)[]): GridPart {
  const texts = values.filter((value) => value !== null)
  const listed = createFilter(field, 'in', texts)
  const missing = createFilter(field, 'is null')
  const [selected] =
    texts.length === values.length ? [listed] : joinFilters(texts.length === 0 ? [missing] : [listed, missing], 'or')
  if (selected === undefined || type !== 'isNoneOf') return selected ?? listed
  return none(selected)
}

function readDate(
  field: string,
  type: string,
  { dateFrom, dateTo, filter = dateFrom, filterTo = dateTo }: AnyModel,
): readonly GridPart[] {
  if (Object.hasOwn(periods, type)) {
    const period = periods[type as keyof typeof periods]
    const within = [period].flat().map((value) => createDateFilter(field, 'within', value))
    return joinFilters(within, 'or')
  }
  const months = /^last(\d+)Months$/.exec(type)?.[1]
  if (months !== undefined) return [createDateFilter(field, 'between', [monthsAgo(Number(months)), monthsAgo(0)])]
  const value = type === 'inRange' ? [toDate(filter), toDate(filterTo)] : toDate(filter)
  return [createCondition(equivalents, { field, operator: type, value, isDate: true })]
}

/** Midnight stands for the day: the grid adds it to dates without a time. */
const toDate = (text: unknown): string =>
  String(text ?? '')
    .replace(/[T ]00:00:00$/, '')
    .replace(' ', 'T')

/** The day of the browser some months ago, as the grid counts it. */
function monthsAgo(count: number): string {
  const date = new Date()
  date.setMonth(date.getMonth() - count)
  return toDay(date)
}
