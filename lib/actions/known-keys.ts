import { actionFault } from '../errors/action-fault.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { truths } from '../query/read-value.ts'
import { formKeys, hasOpenForm } from '../table/action-entry.ts'
import {
  allRowsKeys,
  type BodyKey,
  bodyKeys,
  fileKeys,
  planKeys,
  responseKeys,
  selectionKeys,
  tokenKeys,
  versionKeys,
  viewKeys,
} from '../table/action-key.ts'
import { nearNames } from '../table/near-names.ts'
import { findUnknownParams } from '../table/unknown-params.ts'
import type { TableView } from '../table/view.ts'

/** One is enough to refuse a request, and a body has room for many. */
const maxFaults = 10
/** A longer key is no misspelling. */
const maxKeyLength = 40
const maxNameLength = 100

/** Refuses keys, if there are any. Throws `validation_failed` naming each of them, up to ten. */
export function refuseKeys(keys: readonly string[], fault: Bilingual): void {
  if (keys.length === 0) return
  const faults = keys.slice(0, maxFaults).map((key) => [key.slice(0, maxNameLength), [fault]] as const)
  throw validationFailed(Object.fromEntries(faults))
}

/** The keys that an action on one row reads. */
export const rowActionKeys: readonly BodyKey[] = [
  'selected_ids',
  'params',
  'expected_count',
  'dry_run',
  ...versionKeys,
  ...planKeys,
  ...responseKeys,
]

/**
 * Equal for spellings of one name: `selectedIds` and `selected_ids`, `Filter` and `filters`, `dry-run` and `dry_run`.
 */
const normalizeKey = (key: string): string =>
  key
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '')

/**
 * Refuses a key that is nearly one of `knownKeys`: unknown keys are ignored, and an action whose `selectedIds` or
 * `dryRun` were ignored would change more than was meant. Throws `validation_failed` naming the key and the one that
 * was meant.
 */
export function assertNoNearMiss(
  body: Readonly<Record<string, unknown>>,
  formKeys: readonly string[],
  knownKeys: readonly BodyKey[] = [
    ...bodyKeys,
    ...selectionKeys,
    ...versionKeys,
    ...viewKeys,
    ...allRowsKeys,
    ...tokenKeys,
    ...planKeys,
    ...fileKeys,
    ...responseKeys,
  ],
): void {
  const meant = new Map<string, string>(knownKeys.map((key) => [normalizeKey(key), key]))
  const faults: (readonly [string, readonly Bilingual[]])[] = []
  for (const key of Object.keys(body)) {
    const target = key.length > maxKeyLength ? undefined : meant.get(normalizeKey(key))
    if (target === undefined || target === key || formKeys.includes(key)) continue
    faults.push([key, [actionFault('other_key', { meant: target })]])
    if (faults.length === maxFaults) break
  }
  if (faults.length > 0) throw validationFailed(Object.fromEntries(faults))
}

/** Other names of the lists of rows, as `normalizeKey` writes them. */
const rowLists = new Map([
  ['id', 'selected_ids'],
  ['rowid', 'selected_ids'],
  ['selected', 'selected_ids'],
  ['excluded', 'excluded_ids'],
])
const rowKeys = ['selected_ids', 'excluded_ids']

/** A shorter key is too near to too many names. */
const minMisspelt = 9

function findRowList(key: string): string | undefined {
  if (key === 'id' || key.length > maxKeyLength) return undefined
  return rowLists.get(normalizeKey(key)) ?? (key.length < minMisspelt ? undefined : nearNames(key, rowKeys)[0])
}

/**
 * Refuses another name of a list of rows, such as `row_ids`: without its list, a bulk action would run on every row.
 * Throws `validation_failed` naming each key. A form that may read any key keeps all of them.
 */
export function assertNoOtherRowList(
  body: Readonly<Record<string, unknown>>,
  definition: Parameters<typeof hasOpenForm>[0],
): void {
  if (hasOpenForm(definition)) return
  const own = formKeys(definition)
  const faults = Object.keys(body).flatMap((key): [string, readonly Bilingual[]][] => {
    const meant = own.includes(key) ? undefined : findRowList(key)
    return meant === undefined || meant === key ? [] : [[key, [actionFault('other_key', { meant })]]]
  })
  if (faults.length > 0) throw validationFailed(Object.fromEntries(faults.slice(0, maxFaults)))
}

/**
 * Refuses keys of a selection of all rows where rows are named one by one. Throws `validation_failed` naming each of
 * them.
 */
export function assertNoAllRows(body: Readonly<Record<string, unknown>>, formKeys: readonly string[]): void {
  const named = [...allRowsKeys, ...tokenKeys].filter((key) => !isUnset(body[key]) && !formKeys.includes(key))
  refuseKeys(named, fieldFault('not_known'))
}

const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || truths.get(value) === false || (Array.isArray(value) && value.length === 0)

/**
 * Refuses versions where an action checks none: a condition must not be ignored. Throws `validation_failed` naming each
 * of them.
 */
export function assertNoVersions(
  { body, headers }: { readonly body: Readonly<Record<string, unknown>>; readonly headers: Headers },
  formKeys: readonly string[],
): void {
  const keys: readonly string[] = versionKeys.filter((key) => (body[key] ?? undefined) !== undefined)
  const header = headers['if-match'] === undefined ? [] : ['If-Match']
  refuseKeys([...keys.filter((key) => !formKeys.includes(key)), ...header], fieldFault('not_known'))
}

type Headers = Readonly<Record<string, string | undefined>>

/**
 * Refuses keys of a body's `params` that the table does not know: what was meant to narrow the rows must not be
 * ignored. Throws `validation_failed` naming each key and the one that was probably meant.
 */
export function assertKnownParams(view: TableView, request: Parameters<typeof findUnknownParams>[1]): void {
  const unknown = findUnknownParams(view, request)
  if (unknown.length === 0) return
  const fault = (meant: string | undefined) =>
    meant === undefined ? actionFault('no_param') : actionFault('other_key', { meant })
  throw validationFailed(
    Object.fromEntries(unknown.map(({ name, meant }) => [`params.${name.slice(0, maxNameLength)}`, [fault(meant)]])),
  )
}

/** Keeps the part of a body that a job needs when it runs, because jobs are kept for months. */
export function toJobBody(body: Readonly<Record<string, unknown>>, formKeys: readonly string[] | undefined) {
  if (formKeys === undefined) return body
  const kept = new Set<string>([...bodyKeys, ...selectionKeys, ...allRowsKeys, ...tokenKeys, ...fileKeys, ...formKeys])
  return Object.fromEntries(Object.entries(body).filter(([key]) => kept.has(key)))
}
