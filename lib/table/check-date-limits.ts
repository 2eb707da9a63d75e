import type { CompiledFilter } from './compiled-table.ts'
import type { ReportFault } from './definition.ts'

/**
 * Reports a `min` or `max` of a date filter that is no day of the calendar, and a range without any day. Bundles leave
 * it out.
 */
export function checkDateLimits(name: string, definition: CompiledFilter['definition'], report: ReportFault): void {
  if (definition.type !== 'date') return
  const { min, max } = definition
  for (const [end, date] of Object.entries({ min, max })) {
    if (date !== undefined && !isIsoDate(date)) report(`the ${end} "${date}" of the filter "${name}" is no ISO date`)
  }
  if (min !== undefined && max !== undefined && min > max) report(`the min of the filter "${name}" is after its max`)
}

/** Whether a text is a day of the calendar such as 2026-01-31. */
export function isIsoDate(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text) : undefined
  // A day such as February 30 would become one of the next month.
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
