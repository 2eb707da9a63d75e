import { hash } from 'node:crypto'
import * as z from 'zod/mini'
import { plainValue } from '../auth/identity.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { selectionFault } from '../errors/selection-fault.ts'
import type { ViewedTable } from '../table/open-table.ts'
import { matchKey, planGroupKeys } from './group-keys.ts'
import { openOnDay, type PeriodSeal, sealOnDay } from './period-seal.ts'
import type { OpenedKey, ReadGroup } from './plan-extensions.ts'

const entry = z.tuple([
  z.string(),
  z.union([z.string(), z.object({ width: z.string() }), z.null()]),
  z.string(),
  z.union([z.string(), z.object({ sha256: z.string() }), z.null()]),
  z.string(),
])

type Entry = z.output<typeof entry>

const payload = z.array(entry)

/** Groups within groups have the keys of all. */
const maxKeys = 9

/** Binds what a request has sealed to its caller and to the rows that it selects; the scope applies to them anew. */
export const sealContext = (
  purpose: 'group' | 'groups_page',
  { view, context: { identity, params } }: ViewedTable,
  meaning: unknown,
): string => `${purpose}\n${JSON.stringify([view.table.name, identity.subject, params, meaning], plainValue)}`

const maxTextLength = 200

/** Longer values would make a token that is longer than what a request may send. */
const maxValueLength = 1_000

/** Returns a value as a token has it. */
const shorten = (value: OpenedKey['value']): OpenedKey['value'] =>
  typeof value === 'string' && value.length > maxValueLength ? { sha256: hash('sha256', value, 'hex') } : value

const toEntry = ({ key, value, text }: OpenedKey): Entry => [
  key.column.key,
  key.bucket ?? null,
  key.timeZone,
  shorten(value),
  text.slice(0, maxTextLength),
]

/**
 * Writes the token that opens a group by its keys and those of the groups around it; `null` where these are too many.
 */
export function writeGroup(seal: PeriodSeal, opened: readonly OpenedKey[]): string | null {
  const entries = opened.map(toEntry)
  return entries.length > maxKeys ? null : sealOnDay(seal, JSON.stringify(entries))
}

/**
 * Opens a group of the rows of a seal. Throws `validation_failed` for a token that was altered, or made for another
 * caller or query.
 */
export function openGroup(viewed: ViewedTable, seal: PeriodSeal, token: unknown): ReadGroup {
  const text = openOnDay(seal, token)
  const entries = payload.safeParse(text === undefined ? undefined : JSON.parse(text))
  if (!entries.success) throw invalidToken()
  const opened = entries.data.map((one) => openKey(viewed, one))
  return {
    opened,
    conditions: opened.map(({ key, value }) => matchKey(key, value)),
    filtered: opened.map(({ key }) => key.column.source),
    meaning: entries.data.map(([field, bucket, timeZone, value]) => [field, bucket, timeZone, value]),
  }
}

/** The table may have changed since the token was made: a column that is hidden by now opens no group. */
function openKey({ view, context }: ViewedTable, [field, bucket, timeZone, value, text]: Entry): OpenedKey {
  const zones = { timeZone, tableZone: context.timeZone }
  try {
    const [key] = planGroupKeys(view, [{ field, bucket }], zones)
    if (key !== undefined) return { key, value, text }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
  }
  throw invalidToken()
}

const invalidToken = () => validationFailed({ group: [selectionFault('not_a_group_token')] })
