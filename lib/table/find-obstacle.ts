import type { Bilingual } from '../i18n/language.ts'
import type { AnyRowAction } from './compiled-table.ts'
import type { AnyContext, AnyRow } from './context.ts'

/**
 * Finds what keeps an action from a row: the reason of its `appliesTo`, or `hidden` if it returns none. Only `true` of
 * `appliesTo` lets the action apply.
 */
export function findObstacle(
  { appliesTo }: AnyRowAction,
  row: AnyRow,
  context: AnyContext,
): Bilingual | 'hidden' | undefined {
  const applies = appliesTo === undefined || appliesTo(row, context)
  // An author without types may return anything, a promise included.
  return applies === true ? undefined : ((applies || undefined)?.reason ?? 'hidden')
}
