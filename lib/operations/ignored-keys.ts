import type { Warning } from '../query/plan.ts'
import { ownValue, type TableRequest } from './table-request.ts'

/** What the answer calls by another name than the request. */
const meanings = [
  ['next_cursor', 'cursor'],
  ['per_page', 'perPage'],
  ['current_page', 'page'],
] as const

/** Warns of parts of an answer's `pagination` that were sent back under the answer's names, where they say nothing. */
export const ignoredKeys = (body: TableRequest['body']): readonly Warning[] =>
  meanings.flatMap(([field, meant]) =>
    (ownValue(body, field) ?? null) === null || Object.hasOwn(body, meant)
      ? []
      : [{ code: 'unknown_key', field, meant }],
  )
