import type { Structure } from '../service/wire.ts'
import { type Applied, takesNothing } from '../state/view.ts'
import { readFilter } from '../views/view-query.ts'

export const groupKinds = ['all', 'any', 'none'] as const

export type GroupKind = (typeof groupKinds)[number]

/** Conditions of which all, any or none hold. The key tells parts apart while they change. */
export interface Group {
  readonly key: number
  readonly kind: GroupKind
  readonly parts: readonly Part[]
}

export interface Condition extends Applied {
  readonly key: number
}

export type Part = Group | Condition

export const isGroup = (part: Part): part is Group => 'parts' in part

/** The service refuses groups that are deeper, or hold more conditions. */
export const maxDepth = 5
export const maxConditions = 100

let lastKey = 0

/** Returns a key that no other part has. */
export const nextKey = (): number => {
  lastKey += 1
  return lastKey
}

export const createGroup = (kind: GroupKind, parts: readonly Part[]): Group => ({ key: nextKey(), kind, parts })

/** Reads a group as the service takes it; `undefined` where an address holds something else. */
export function readGroup(json: unknown, structure: Structure): Group | undefined {
  const part = readPart(json, structure)
  return part !== undefined && isGroup(part) ? part : undefined
}

function readPart(json: unknown, structure: Structure): Part | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const kind = groupKinds.find((one) => one in json)
  if (kind === undefined) return readCondition(json, structure)
  const listed: unknown = (json as Readonly<Record<string, unknown>>)[kind]
  const parts = Array.isArray(listed) ? listed.map((one) => readPart(one, structure)) : []
  const known = parts.filter((part) => part !== undefined)
  return known.length === parts.length && parts.length > 0 ? createGroup(kind, known) : undefined
}

/** Reads a condition. The two ends of a range of days are a group. */
function readCondition(
  json: { readonly field?: unknown; readonly operator?: unknown; readonly value?: unknown },
  structure: Structure,
): Part | undefined {
  const { field, operator, value } = json
  if (typeof field !== 'string' || typeof (operator ?? '') !== 'string' || value === null) return undefined
  const read = readFilter({ field, operator, value }, structure).map((one) => ({ ...one, key: nextKey() }))
  return read.length > 1 ? createGroup('all', read) : read[0]
}

/** Writes a group as the service takes it; `undefined` if there is no condition in it. */
export function writeGroup({ kind, parts }: Group): Readonly<Record<string, unknown>> | undefined {
  const written = parts.map(writePart).filter((part) => part !== undefined)
  return written.length === 0 ? undefined : { [kind]: written }
}

function writePart(part: Part): Readonly<Record<string, unknown>> | undefined {
  if (isGroup(part)) return writeGroup(part)
  const { field, operator, value } = part
  return takesNothing(operator) ? { field, operator } : { field, operator, value }
}

export const listConditions = ({ parts }: Group): readonly Condition[] =>
  parts.flatMap((part) => (isGroup(part) ? listConditions(part) : [part]))

/** Returns the group with a condition in place of the one of the same key. */
export function putCondition(group: Group, condition: Condition): Group {
  const parts = group.parts.map((part) => {
    if (isGroup(part)) return putCondition(part, condition)
    return part.key === condition.key ? condition : part
  })
  return { ...group, parts }
}
