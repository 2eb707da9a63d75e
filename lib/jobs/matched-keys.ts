import type { Transaction } from '../db/transaction.ts'
import { isInList } from '../query/compare.ts'
import { planRows } from '../query/plan.ts'
import { reportStatement } from '../query/report-statement.ts'
import type { OpenedTarget } from './job.ts'

/** Finds the rows inside the scope that have one of these values in a unique column. Returns their keys by the value. */
export async function findMatchedKeys(
  run: Transaction['run'],
  target: OpenedTarget,
  matchedBy: string,
  values: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { view, context } = target
  const source = view.columns.find(({ key }) => key === matchedBy)?.source
  if (source === undefined) throw new Error(`the column "${matchedBy}" has no source`)
  const known = [...new Set(values.filter((value) => value !== '' && (source.kind === 'text' || isWhole(value))))]
  if (known.length === 0) return new Map()
  const planned = planRows(view, {}, context.timeZone)
  const plan = { ...planned, conditions: [...planned.conditions, isInList(source, known, false, false)] }
  const fields = [view.table.key, source].map((one) => ({
    source: one,
    text: (statement: Parameters<typeof one.expression>[0]) => `${one.expression(statement)}::text`,
  }))
  const { text, parameters } = reportStatement(target, plan, fields, 'values')
  const found = new Map<string, string[]>()
  for (const [key, value] of await run(text, parameters))
    found.set(String(value), [...(found.get(String(value)) ?? []), String(key)])
  return found
}

const isWhole = (text: string): boolean => /^-?\d{1,18}$/.test(text)
