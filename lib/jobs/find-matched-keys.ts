import type { ActionTarget } from '../actions/action-rows.ts'
import type { Run } from '../db/transaction.ts'
import { isInList, sourceText } from '../query/compare.ts'
import { planRows } from '../query/plan.ts'
import { reportStatement } from '../query/report-statement.ts'
import { keyText } from '../rows/key-text.ts'

const maxCodeLength = 18

/** Lists the codes that a program shows as this number: it removes the zeros in front. */
export const listPadded = (text: string): readonly string[] =>
  /^(0|[1-9]\d{0,14})$/.test(text)
    ? Array.from({ length: maxCodeLength - text.length }, (_, index) => '0'.repeat(index + 1) + text)
    : []

/**
 * Finds the rows inside the scope that have one of these values in a unique column, or one of them behind zeros.
 * Returns their keys by the value.
 */
export async function findMatchedKeys(
  run: Run,
  target: ActionTarget,
  matchedBy: string,
  values: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { view, context } = target
  const source = view.columns.find(({ key }) => key === matchedBy)?.source
  if (source === undefined) throw new Error(`the column "${matchedBy}" has no source`)
  const all = new Set(values.flatMap((value) => [value, ...listPadded(value)]))
  const known = [...all].filter((value) => value !== '' && keyText(source, value) !== undefined)
  if (known.length === 0) return new Map()
  const planned = planRows(view, {}, context.timeZone)
  const plan = { ...planned, conditions: [...planned.conditions, isInList(source, known, false, false)] }
  const fields = [view.table.key, source].map((one) => ({
    source: one,
    text: (statement: Parameters<typeof one.expression>[0]) => sourceText(one, statement),
  }))
  const { text, parameters } = reportStatement(target, plan, fields, 'values')
  const found = new Map<string, string[]>()
  for (const [key, value] of await run(text, parameters))
    found.set(String(value), [...(found.get(String(value)) ?? []), String(key)])
  return found
}
