import { type RowFailure, rowFailure } from '../actions/row-outcome.ts'
import type { Transaction } from '../db/transaction.ts'
import { actionFault } from '../errors/action-fault.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { type Bilingual, translate } from '../i18n/language.ts'
import { jsonTextValue } from '../rows/json-text.ts'
import { keyText } from '../rows/key-text.ts'
import { readItems } from '../rows/read-items.ts'
import { maxSelectedRows, readIds } from '../rows/row-id.ts'
import { changedColumns, hasVersionedCells, hasVersions, isSameVersion } from '../rows/row-version.ts'
import { formKeys } from '../table/action-entry.ts'
import type { RowAction } from '../table/compiled-table.ts'
import { isObject } from '../table/unknown-body.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

type Session = Pick<Transaction, 'run'>

/**
 * The versions that a client expects rows to have. Checked inside the transaction of the action, after the rows are
 * locked.
 */
export interface VersionCheck {
  /** Throws `row_version_conflict` with the row as it is now. */
  readonly assertUnchanged: (session: Session, key: string) => Promise<void>
  /** Returns the rows among these that have changed, with what they are now. */
  readonly findChanged: (session: Session, keys: readonly string[]) => Promise<ReadonlyMap<string, RowFailure>>
}

const header = 'If-Match'

/**
 * Reads `expected_version` and `If-Match` of an action on one row, or `versions` of one on several; `undefined` for the
 * many requests without. Throws `validation_failed` for a version that cannot be checked: it must not be ignored.
 */
export async function findVersionCheck(
  request: TableRequest,
  { definition }: RowAction,
  rows: 'one' | 'several',
): Promise<VersionCheck | undefined> {
  const own = formKeys(definition)
  const value = (key: string) => (own.includes(key) ? undefined : (ownValue(request.body, key) ?? undefined))
  const single = value('expected_version')
  const several = value('versions')
  const matched = request.headers['if-match']
  if ([single, several, matched].every((asked) => asked === undefined)) return undefined
  const faults: Record<string, readonly Bilingual[]> = {}
  if (rows === 'one' && several !== undefined)
    faults['versions'] = [actionFault('other_key', { meant: 'expected_version' })]
  if (rows === 'several' && single !== undefined)
    faults['expected_version'] = [actionFault('other_key', { meant: 'versions' })]
  if (rows === 'several' && matched !== undefined) faults[header] = [actionFault('other_key', { meant: 'versions' })]
  const expected = rows === 'one' ? readOne(single, matched, faults) : readSeveral(request, several, faults)
  if (!(await hasVersions(request.database, request.table)))
    for (const [key, given] of Object.entries({ expected_version: single, [header]: matched, versions: several }))
      if (given !== undefined) faults[key] ??= [fieldFault('not_known')]
  if (Object.keys(faults).length > 0) throw validationFailed(faults)
  return {
    assertUnchanged: (session, key) => assertUnchanged(request, session, key, expected.get(key)),
    findChanged: (session, keys) => findChanged(request, session, keys, expected),
  }
}

const version = /^[\w-]{1,10000}$/
const tag = /^"([\w-]{1,10000})"$/

/** The expected versions by the key of a row. If the path names the row, every key returns the version of that row. */
type ExpectedVersions = Pick<ReadonlyMap<string, string>, 'get'>

function readOne(
  single: unknown,
  matched: string | undefined,
  faults: Record<string, readonly Bilingual[]>,
): ExpectedVersions {
  const tagged = matched === undefined ? undefined : tag.exec(matched.trim())?.[1]
  if (matched !== undefined && tagged === undefined) faults[header] = [actionFault('not_an_entity_tag')]
  if (single !== undefined && (typeof single !== 'string' || !version.test(single)))
    faults['expected_version'] = [actionFault('not_a_version')]
  else if (single !== undefined && tagged !== undefined && tagged !== single)
    faults['expected_version'] = [listOptions([tagged])]
  const expected = tagged ?? (single as string | undefined)
  return { get: () => expected }
}

function readSeveral(
  { table: { key }, body }: TableRequest,
  versions: unknown,
  faults: Record<string, readonly Bilingual[]>,
): ExpectedVersions {
  const expected = new Map<string, string>()
  if (versions === undefined) return expected
  if (!isObject(versions)) {
    faults['versions'] = [fieldFault('not_an_object')]
    return expected
  }
  const ids = readIds(ownValue(body, 'selected_ids'), 'selected_ids', 0, maxSelectedRows)
  const selected = new Set(ids.map((id) => keyText(key, id) ?? String(id)))
  for (const [id, one] of Object.entries(versions).slice(0, selected.size + 1)) {
    const name = keyText(key, id) ?? id
    if (!selected.has(name)) faults[`versions.${id.slice(0, 100)}`] = [fieldFault('not_known')]
    else if (typeof one !== 'string' || !version.test(one))
      faults[`versions.${id.slice(0, 100)}`] = [actionFault('not_a_version')]
    else expected.set(name, one)
  }
  if (Object.keys(versions).length > selected.size && Object.keys(faults).length === 0)
    faults['versions'] = [fieldFault('too_many', { max: selected.size })]
  return expected
}

async function assertUnchanged(
  request: TableRequest,
  session: Session,
  key: string,
  expected: string | undefined,
): Promise<void> {
  if (expected === undefined) return
  const [now] = await readVersions(request, session, [key], ['id'])
  if (now === undefined || isSameVersion(expected, now._version)) return
  const [current] = await readVersions(request, session, [key], [])
  if (current === undefined) throw new RequestError('row_not_found')
  throw new RequestError('row_version_conflict', {}, { payload: describeConflict(request, expected, current) })
}

/** Returns a row as it is now, and its cells that differ from the expected version. */
function describeConflict({ view, language }: TableRequest, expected: string, current: VersionedItem) {
  const changed = changedColumns(expected, current._version, view.columns.filter(hasVersionedCells))
  return {
    current,
    changed: changed.map(({ key: field, definition }) => ({
      field,
      label: translate(definition.label, language),
      now: current[field] ?? null,
    })),
  }
}

/** The most conflicts of a response that have their row; 1,000 rows could be more than it can hold. */
const maxDescribed = 100

async function findChanged(
  request: TableRequest,
  session: Session,
  keys: readonly string[],
  expected: ExpectedVersions,
): Promise<ReadonlyMap<string, RowFailure>> {
  const asked = keys.filter((key) => expected.get(key) !== undefined)
  const items = await readVersions(request, session, asked, ['id'])
  const changed = asked.filter((key, index) => {
    const now = items[index]
    return now !== undefined && !isSameVersion(expected.get(key) ?? '', now._version)
  })
  const described = changed.slice(0, maxDescribed)
  const whole = new Map(
    (await readVersions(request, session, described, [])).map((item, index) => [described[index], item]),
  )
  return new Map(
    changed.map((key) => {
      const current = whole.get(key)
      const version = expected.get(key)
      const details = current && version !== undefined ? { details: describeConflict(request, version, current) } : {}
      return [key, { ...rowFailure('row_version_conflict'), ...details }]
    }),
  )
}

type VersionedItem = Payload & { readonly _version: string }

/** Reads these rows inside the scope with their versions; without `columns` whole items. */
async function readVersions(
  request: TableRequest,
  { run }: Session,
  keys: readonly string[],
  columns: readonly string[],
): Promise<readonly (VersionedItem | undefined)[]> {
  const { readItemShape } = await import('./page-extensions.ts')
  const shape = await readItemShape({ ...request, body: { include: ['version'], columns } })
  const items = await readItems({ read: run }, { ...request, ...shape(request.context) }, keys)
  return items.map((item) => (item === undefined ? undefined : JSON.parse(jsonTextValue(item))))
}
