import type { Warning } from '../query/plan.ts'
import { ownValue, type TableRequest } from './table-request.ts'

/** Names that responses or other services use for keys of a request, with the key. */
const meanings = [
  ['next_cursor', 'cursor'],
  ['per_page', 'perPage'],
  ['current_page', 'page'],
  ['limit', 'perPage'],
  ['pageSize', 'perPage'],
  ['filter', 'filters'],
  ['sort', 'sorts'],
] as const

/** Warns of keys that say nothing under these names, such as parts of an answer's `pagination` that were sent back as they came. */
export const ignoredKeys = (body: TableRequest['body']): readonly Warning[] =>
  meanings.flatMap(([field, meant]) =>
    (ownValue(body, field) ?? null) === null || Object.hasOwn(body, meant)
      ? []
      : [{ code: 'unknown_key', field, meant }],
  )
