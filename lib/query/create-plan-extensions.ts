import { fieldFault } from '../errors/field-fault.ts'
import { readFaults, validationFailed, valueFault } from '../errors/request-error.ts'
import { selectionFault, selectionValueFault } from '../errors/selection-fault.ts'
import type { Bilingual } from '../i18n/language.ts'
import { dayText, momentText, periodMoments, resolvePeriod, type Weekday } from '../i18n/period.ts'
import { isTimeZone, startOfZoneDay, zoneDay } from '../i18n/time-zone.ts'
import type { CompiledFilter } from '../table/compiled-table.ts'
import type { Period } from '../table/context.ts'
import type { ViewedTable } from '../table/open-table.ts'
import type { Source } from '../table/source.ts'
import type { TableView } from '../table/view.ts'
import type { Operator } from '../wire/vocabulary.ts'
import { type Condition, compareDate, hasValue, matchText, negate } from './compare.ts'
import type { DateValue } from './date-value.ts'
import { type ReadFilter, readOperand, readOperator, readScalar } from './filter-condition.ts'
import { readFolded } from './folded-filter.ts'
import { openGroup, sealContext } from './group-token.ts'
import { readPeriodDay } from './period-seal.ts'
import type { AppliedGroup, AppliedLeaf, PlanExtensions, ReadGroups, ResolvedPeriod } from './plan-extensions.ts'
import { readSearch } from './search.ts'

type Body = Readonly<Record<string, unknown>>
type Faults = Record<string, readonly Bilingual[]>

interface Circumstances {
  /** The moment of the request in epoch milliseconds. */
  readonly now: number
  /**
   * The day on which periods are read, in days since 1970, unless the token of a group names one. Default: that of
   * `now`.
   */
  readonly day: number | undefined
  /** The secret that has sealed the tokens of groups. */
  readonly secret: string
}

/**
 * Creates the readers of `filter_groups`, `search`, `group` and the operators beyond the basic ones. Throws
 * `validation_failed` for an unknown `time_zone`.
 */
export function createPlanExtensions(viewed: ViewedTable, body: Body, circumstances: Circumstances): PlanExtensions {
  const {
    view,
    context: { timeZone },
  } = viewed
  const asked = Object.hasOwn(body, 'time_zone') ? (body['time_zone'] ?? timeZone) : timeZone
  if (!isZoneName(asked)) throw validationFailed({ time_zone: [selectionFault('not_a_time_zone')] })
  const { firstWeekday = 'monday' } = view.table.definition
  const groups = Object.hasOwn(body, 'filter_groups') ? body['filter_groups'] : undefined
  const search = (Object.hasOwn(body, 'search') ? body['search'] : undefined) ?? ''
  const token = (Object.hasOwn(body, 'group') ? body['group'] : undefined) ?? undefined
  const day = readPeriodDay(token) ?? circumstances.day
  const now = day === undefined ? circumstances.now : toDay(circumstances.now, day * dayMs, asked)
  const calendar: Calendar = { timeZone: asked, now, firstWeekday, tableZone: timeZone, resolved: [] }
  const readDay = () => (calendar.resolved.length === 0 ? undefined : (day ?? zoneDay(now, asked) / dayMs))
  let group: ReturnType<PlanExtensions['openGroup']>
  return {
    timeZone: asked,
    now,
    resolved: calendar.resolved,
    readDay,
    readOperand: (filter, operator, value) => readExtended(filter, operator, value, calendar),
    readGroups: (own, fields) =>
      (groups ?? undefined) === undefined ? undefined : readGroups(own, groups, calendar, fields),
    readSearch: (own, fields) => (search === '' ? undefined : readSearch(own, search, fields)),
    openGroup: (meaning) => {
      const seal = { secret: circumstances.secret, context: sealContext('group', viewed, meaning), day: readDay() }
      group ??= token === undefined ? undefined : openGroup(viewed, seal, token)
      return group
    },
  }
}

const dayMs = 86_400_000

/** Returns the moment of a day, given by its UTC midnight, that is the nearest to an instant. */
const toDay = (instant: number, day: number, timeZone: string): number =>
  Math.max(startOfZoneDay(day, timeZone), Math.min(instant, startOfZoneDay(day + dayMs, timeZone) - 1))

const isZoneName = (zone: unknown): zone is string =>
  typeof zone === 'string' && /^[a-z][\w+/-]{0,63}$/i.test(zone) && isTimeZone(zone)

interface Calendar {
  readonly timeZone: string
  /** The moment from which periods are counted, as in `PlanExtensions`. */
  readonly now: number
  readonly firstWeekday: Weekday
  readonly tableZone: string
  readonly resolved: ResolvedPeriod[]
}

function readExtended(filter: CompiledFilter, operator: Operator, value: unknown, calendar: Calendar): ReadFilter {
  const { source } = filter
  if (operator === 'is null' || operator === 'is not null') {
    return { conditions: [hasValue(source, operator === 'is not null')], applied: { operator, value: true } }
  }
  if (operator === 'within') return readWithin(filter, value, calendar)
  if (operator === 'not between') {
    const { conditions, applied, ...read } = readOperand(filter, 'between', value, calendar.tableZone)
    return { ...read, conditions: [negate(joinConditions(conditions, 'and'))], applied: { ...applied, operator } }
  }
  if (value === undefined || value === null) throw valueFault('required')
  // Only numbers and dates have ranges.
  if (filter.folds && operator !== 'between') return readFolded(filter, operator, value)
  if (operator === 'starts with' || operator === 'ends with') {
    const text = String(readScalar(filter, value))
    const condition = matchText(source, text, operator === 'starts with' ? 'start' : 'end')
    return { conditions: [condition], applied: { operator, value: text } }
  }
  return readOperand(filter, operator, value, calendar.tableZone)
}

const minDay = Date.parse('0001-01-01T00:00:00Z')
const maxDay = Date.parse('9999-12-31T00:00:00Z')

function readWithin({ name, source }: CompiledFilter, value: unknown, calendar: Calendar): ReadFilter {
  const days = typeof value === 'string' ? resolvePeriod(value, calendar) : undefined
  if (days === undefined || days.from < minDay || days.to > maxDay) throw selectionValueFault('not_a_period')
  const compareTo = (operator: '>=' | '<', date: DateValue) => compareDate(source, operator, date, calendar.tableZone)
  const limits = (form: DateValue['form'], { from, to }: Period): readonly Condition[] => [
    compareTo('>=', { form, text: from }),
    compareTo('<', { form, text: to }),
  ]
  const isDay = source.kind === 'date'
  const [from, to] = periodMoments(days, calendar.timeZone)
  const resolved: Period = isDay
    ? { from: dayText(days.from), to: dayText(days.to) }
    : { from: momentText(from, calendar.timeZone), to: momentText(to, calendar.timeZone) }
  const applied = { operator: 'within', value: String(value), resolved } as const
  if (!calendar.resolved.some(({ field, value: known }) => field === name && known === applied.value))
    calendar.resolved.push({ field: name, operator: 'within', value: applied.value, ...resolved })
  return { conditions: limits(isDay ? 'day' : 'instant', resolved), applied }
}

/** Joins conditions in parentheses. */
const joinConditions =
  (conditions: readonly Condition[], operator: 'and' | 'or'): Condition =>
  (statement) =>
    `(${conditions.map((condition) => condition(statement)).join(` ${operator} `)})`

const maxDepth = 5
const maxLeaves = 100
/** A group of few leaves can still be many lists. */
const maxNodes = maxDepth * maxLeaves
const kinds = ['all', 'any', 'none'] as const

interface Reading {
  readonly view: TableView
  readonly calendar: Calendar
  readonly fields: Faults
  readonly filtered: Source[]
  leaves: number
  nodes: number
}

interface ReadNode<Applied> {
  readonly condition: Condition
  readonly applied: Applied
}

function readGroups(view: TableView, groups: unknown, calendar: Calendar, fields: Faults): ReadGroups | undefined {
  const reading: Reading = { view, calendar, fields, filtered: [], leaves: 0, nodes: 0 }
  const kind = groupKind(groups)
  if (kind === undefined) {
    fields['filter_groups'] = [selectionFault('not_a_group')]
    return undefined
  }
  const read = readGroup(reading, groups as Body, kind, 'filter_groups', 1)
  if (isFull(reading)) fields['filter_groups'] = [fieldFault('too_many', { max: maxLeaves })]
  if (read === undefined) return undefined
  const { condition, applied } = read
  return { conditions: [condition], applied, filtered: reading.filtered, meaning: groupMeaning(applied) }
}

const isFull = ({ leaves, nodes }: Reading): boolean => leaves > maxLeaves || nodes > maxNodes

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the one kind of a group; `undefined` for what is no group, or more than one. */
function groupKind(node: unknown): AppliedGroup['kind'] | undefined {
  if (!isObject(node)) return undefined
  const named = kinds.filter((kind) => Object.hasOwn(node, kind))
  return named.length === 1 && !Object.hasOwn(node, 'field') ? named[0] : undefined
}

function readGroup(
  reading: Reading,
  group: Body,
  kind: AppliedGroup['kind'],
  path: string,
  depth: number,
): ReadNode<AppliedGroup> | undefined {
  const parts = group[kind]
  const list = `${path}.${kind}`
  if (!Array.isArray(parts)) reading.fields[list] = [fieldFault('not_a_list')]
  else if (parts.length === 0) reading.fields[list] = [fieldFault('empty')]
  else if (depth > maxDepth) reading.fields[path] = [selectionFault('too_deep', { max: maxDepth })]
  else {
    const nodes: ReadNode<AppliedGroup | AppliedLeaf>[] = []
    for (const [index, part] of parts.entries()) {
      if (isFull(reading)) return undefined
      const node = readNode(reading, part, `${list}.${index}`, depth + 1)
      if (node !== undefined) nodes.push(node)
    }
    const joined = joinConditions(
      nodes.map(({ condition }) => condition),
      kind === 'all' ? 'and' : 'or',
    )
    const applied = { kind, parts: nodes.map((node) => node.applied) }
    return { condition: kind === 'none' ? negate(joined) : joined, applied }
  }
  return undefined
}

function readNode(
  reading: Reading,
  node: unknown,
  path: string,
  depth: number,
): ReadNode<AppliedGroup | AppliedLeaf> | undefined {
  reading.nodes += 1
  const kind = groupKind(node)
  if (kind !== undefined) return readGroup(reading, node as Body, kind, path, depth)
  reading.leaves += 1
  // Both at once are refused, because one of them would be left out.
  if (!isObject(node) || !Object.hasOwn(node, 'field') || kinds.some((name) => Object.hasOwn(node, name))) {
    reading.fields[path] = [selectionFault('not_a_group')]
    return undefined
  }
  return readLeaf(reading, node, path)
}

function readLeaf({ view, calendar, fields, filtered }: Reading, leaf: Body, path: string) {
  const { field, operator, value } = leaf
  const filter = typeof field === 'string' ? view.filters.get(field) : undefined
  if (filter === undefined) {
    fields[`${path}.field`] = [typeof field === 'string' ? selectionFault('no_filter') : fieldFault('not_a_text')]
    return undefined
  }
  try {
    const read = readExtended(filter, readOperator(filter, operator), value, calendar)
    if (read.conditions.length === 0) throw selectionValueFault('not_all')
    filtered.push(filter.source)
    return { condition: joinConditions(read.conditions, 'and'), applied: { filter, read } }
  } catch (error) {
    fields[path] = readFaults(error)
    return undefined
  }
}

const groupMeaning = ({ kind, parts }: AppliedGroup): unknown => [
  kind,
  parts.map((part) =>
    'kind' in part ? groupMeaning(part) : [part.filter.name, part.read.applied.operator, part.read.applied.value],
  ),
]
