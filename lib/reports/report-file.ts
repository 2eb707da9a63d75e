import { translate } from '../i18n/language.ts'
import { labelFromKey } from '../table/action-key.ts'
import type { ReportFormat, ReportPlan } from './report-plan.ts'

/** The `Content-Type` of each format. */
export const reportMediaType: Readonly<Record<ReportFormat, string>> = {
  excel: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
}

const extensions: Readonly<Record<ReportFormat, string>> = { excel: 'xlsx', csv: 'csv' }
const maxNameLength = 80

type NamedReport = Pick<ReportPlan, 'view' | 'context' | 'format' | 'requestedAt'>

/**
 * The name of the file: the table's name, or its label where the caller reads Arabic, and the day in the table's time
 * zone, such as `flights-2026-11-21.xlsx` and `2026-11-21-الرحلات.xlsx`. Letters, digits, `_`, `-` and `.` only, but
 * letters of any script.
 */
export function reportFileName({ view, context, format, requestedAt }: NamedReport): string {
  const label = context.language === 'en' ? view.table.name : tableLabel({ view, context })
  const words = label.replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-').replace(/^-+|-+$/g, '')
  const name = [...words].slice(0, maxNameLength).join('') || 'report'
  const day = minuteText(requestedAt, context.timeZone).slice(0, 10)
  // Behind a letter that is written from right to left, a date with hyphens is shown backwards.
  const stem = rightToLeftLetter.test(name) ? `${day}-${name}` : `${name}-${day}`
  return `${stem}.${extensions[format]}`
}

const rightToLeftLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/** Returns the label of the table in the caller's language. */
export const tableLabel = ({ view, context }: Pick<ReportPlan, 'view' | 'context'>): string =>
  translate(view.table.definition.label ?? labelFromKey(view.table.name), context.language)

/** Formats a moment as `yyyy-MM-dd HH:mm` in a time zone. */
export function minuteText(moment: Date, timeZone: string): string {
  // The one locale whose dates have this form.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return format.format(moment)
}
