import * as z from 'zod/mini'
import type { Database } from '../db/database.ts'
import { createStatement, type Parameter } from '../db/statement.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { selectionFault } from '../errors/selection-fault.ts'
import type { Condition } from '../query/compare.ts'
import { type GroupKey, planGroupKeys } from '../query/group-keys.ts'
import { sealContext, writeGroup } from '../query/group-token.ts'
import { rangesAfter } from '../query/order.ts'
import { joinText, type Query, scopeText, whereText } from '../query/page-statement.ts'
import { openOnDay, type PeriodSeal, sealOnDay } from '../query/period-seal.ts'
import type { Plan } from '../query/plan.ts'
import type { OpenedKey } from '../query/plan-extensions.ts'
import { readWhole } from '../query/read-value.ts'
import { isUnfitValue } from '../query/stale-token.ts'
import { collationName } from '../table/compile-sort.ts'
import type { CompiledSort } from '../table/compiled-table.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { isObject, type UnknownBody } from '../table/unknown-body.ts'
import { type Aggregate, type Aggregates, aggregateTexts, namedTotals } from './aggregates.ts'
import { formatKey, type KeyCell, keyTexts, textsPerKey } from './group-cell.ts'

/** The selected rows that have the same keys. `token` opens them; it is null where too many groups are open already. */
export interface Group {
  readonly keys: readonly KeyCell[]
  readonly count: number
  readonly aggregates: Aggregates
  readonly token: string | null
}

export interface Groups {
  readonly groups: readonly Group[]
  /** The `after` of the next groups; null where these are the last. */
  readonly groups_next: string | null
}

/** The groups that a request asks for. */
export interface PlannedGroups {
  readonly keys: readonly GroupKey[]
  readonly limit: number
  readonly after: unknown
}

interface GroupsRequest {
  readonly groupBy: unknown
  readonly page: unknown
  /** The time zone of the request. */
  readonly timeZone: string
}

const defaultLimit = 100
const maxLimit = 1_000

/** Reads `group_by` and `groups_page`. Throws `validation_failed` naming what does not fit. */
export function planGroups({ view, context }: OpenedTable, { groupBy, page, timeZone }: GroupsRequest): PlannedGroups {
  const keys = planGroupKeys(view, groupBy, { timeZone, tableZone: context.timeZone })
  if (page !== undefined && !isObject(page)) throw validationFailed({ groups_page: [fieldFault('not_an_object')] })
  const { limit, after }: UnknownBody = { ...page }
  return { keys, limit: readWhole(limit ?? defaultLimit, 1, maxLimit, 'groups_page.limit'), after: after ?? undefined }
}

/**
 * Prepares the groups of a plan. Throws `validation_failed` for an `after` of another query. The function that it
 * returns reads them in the order of their keys, missing values last, in one statement that is sent at once.
 */
export function prepareGroups(
  opened: OpenedTable,
  plan: Plan,
  { keys, limit, after }: PlannedGroups,
  aggregates: readonly Aggregate[],
  secret: string,
): (database: Database) => Promise<Groups> {
  const names = keys.map(({ column, bucket, timeZone }) => [column.key, bucket, timeZone])
  const meaning = [plan.meaning(), plan.opened.map(keyMeaning), names]
  const pageSeal = { secret, context: sealContext('groups_page', opened, meaning), day: plan.day }
  const position = after === undefined ? undefined : readPosition(pageSeal, after, keys.length)
  return async (database) => {
    const { text, parameters } = groupsStatement(opened, plan, { keys, limit, position }, aggregates)
    const rows = await database.read(text, parameters).catch((error: unknown) => {
      // The column of a key has had another type when the place was sealed.
      throw position !== undefined && isUnfitValue(error) ? notNext() : error
    })
    const seal = { secret, context: sealContext('group', opened, plan.meaning()), day: plan.day }
    const groups = rows.slice(0, limit).map(async (row): Promise<Group> => {
      const own = await Promise.all(keys.map((key, index) => readKey(key, index, row, opened)))
      return {
        keys: own.map(({ cell }) => cell),
        count: Number(row[keys.length * textsPerKey]),
        aggregates: namedTotals(aggregates, row.slice(keys.length * textsPerKey + 1)),
        token: writeGroup(seal, [...plan.opened, ...own.map(({ key }) => key)]),
      }
    })
    const last = rows.length > limit ? rows[limit - 1] : undefined
    const next = last && keys.map((_, index) => last[index * textsPerKey] ?? null)
    return {
      groups: await Promise.all(groups),
      groups_next: next === undefined ? null : sealOnDay(pageSeal, JSON.stringify(next)),
    }
  }
}

async function readKey(key: GroupKey, index: number, row: readonly unknown[], { context }: OpenedTable) {
  const texts = row.slice(index * textsPerKey, (index + 1) * textsPerKey) as readonly (string | null)[]
  const cell = await formatKey(key, texts, context.language)
  return { cell, key: { key, value: texts[0] ?? null, text: cell.text } }
}

const keyMeaning = ({ key: { column, bucket, timeZone }, value }: OpenedKey) => [column.key, bucket, timeZone, value]

const positionShape = z.array(z.union([z.string(), z.null()]))

function readPosition(seal: PeriodSeal, after: unknown, keys: number): readonly Parameter[] {
  const text = openOnDay(seal, after)
  const position = positionShape.safeParse(text === undefined ? undefined : JSON.parse(text))
  if (!position.success || position.data.length !== keys) throw notNext()
  return position.data
}

const notNext = () => validationFailed({ 'groups_page.after': [selectionFault('not_groups_next')] })

interface GroupWindow {
  readonly keys: readonly GroupKey[]
  readonly limit: number
  readonly position: readonly Parameter[] | undefined
}

/**
 * Each row holds the texts of each key, then the count, then the totals. One group beyond the limit tells that more
 * follow.
 */
function groupsStatement(
  opened: OpenedTable,
  plan: Plan,
  { keys, limit, position }: GroupWindow,
  aggregates: readonly Aggregate[],
): Query {
  const statement = createStatement()
  const { view, context } = opened
  const conditions = [
    ...scopeText(statement, opened),
    ...plan.conditions.map((condition) => condition(statement)),
    ...(position === undefined ? [] : [groupsAfter(keys, position)(statement)]),
  ]
  const own = keys.map(({ expression }, index) => `${expression(statement)} as k${index}`)
  const totals = aggregates.flatMap((aggregate) => aggregateTexts(statement, aggregate, context.timeZone))
  const named = totals.map((total, index) => `${total} as a${index}`)
  const places = keys.map((_, index) => index + 1).join(', ')
  const used = [...plan.filtered, ...keys.map(({ column }) => column.source), ...aggregates.map(({ source }) => source)]
  const collations = keys.map((key) => findCollation(key))
  const isCollated = collations.some((collation) => collation !== undefined)
  const bound = ` limit ${limit + 1}`
  // Postgres can end early on an index that has the order of the keys, but an expression in `order by` must be one of
  // the groups.
  const ordered = isCollated ? '' : ` order by ${places}${bound}`
  const groups =
    `select ${[...own, 'count(*)::text as n', ...named].join(', ')} from ${view.table.text}${joinText(used)}` +
    `${whereText(conditions)} group by ${places}${ordered}`
  const texts = keys.flatMap((key, index) => keyTexts(statement, key, `k${index}`, context.timeZone))
  // A bare name would be that of the text, whose order is another.
  const outer = [...texts, 'n', ...named.map((_, index) => `a${index}`)].join(', ')
  const order = collations.map(
    (collation, index) => `g.k${index}${collation === undefined ? '' : ` collate ${collation}`}`,
  )
  const text = `select ${outer} from (${groups}) g order by ${order.join(', ')}${isCollated ? bound : ''}`
  return { text, parameters: statement.parameters }
}

/** Missing values are the last, so that only the keys before them tell what follows. */
function groupsAfter(keys: readonly GroupKey[], position: readonly Parameter[]): Condition {
  const known = position.findLastIndex((value) => value !== null) + 1
  if (known === 0) return () => 'false'
  return (statement) => rangesAfter(statement, keys.slice(0, known).map(asSort), position.slice(0, known), 1).join('')
}

/** Returns the collation of a column's texts in SQL, in which they are sorted as well. */
const findCollation = ({ column: { definition } }: GroupKey): string | undefined =>
  'collation' in definition && definition.collation !== undefined
    ? `"${collationName(definition.collation)}"`
    : undefined

/** A key as a sort, by which the groups of a page come after those of the page before. */
function asSort(key: GroupKey): CompiledSort {
  const {
    column: { source },
    expression,
  } = key
  const collation = findCollation(key)
  return {
    // The key of a value that cannot be missing can still be null, for a number or a date that is not finite.
    source: { ...source, expression, nullable: true },
    direction: 'asc',
    ...(collation !== undefined && { collation }),
  }
}
