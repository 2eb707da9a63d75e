import { selectionKeys } from '../table/action-key.ts'
import type { BasicOperator } from '../table/filter-operators.ts'
import type { ViewedTable } from '../table/open-table.ts'
import { ownValue, type UnknownBody } from '../table/unknown-body.ts'
import type { TableView } from '../table/view.ts'
import type { PlanExtensions } from './plan-extensions.ts'
import { maxFilters, readFilters } from './request-forms.ts'

const basicOperators: ReadonlySet<unknown> = new Set<BasicOperator>([
  ...(['=', '!=', '<', '<=', '>', '>=', 'like', 'not like', 'in', 'not in', 'between'] as const),
])

/** When a request was made, or the day whose periods it goes on with, in days since 1970. */
interface AskedMoment {
  readonly now?: number | undefined
  readonly day?: number | undefined
}

/**
 * Loads what a request needs beside flat filters and the basic operators; `undefined` for the many that need nothing.
 * `secret` has sealed the tokens of groups.
 */
export async function loadPlanExtensions(
  viewed: ViewedTable,
  body: UnknownBody,
  secret: string,
  { now = Date.now(), day }: AskedMoment = {},
): Promise<PlanExtensions | undefined> {
  const asked = selectionKeys.some((key) => Object.hasOwn(body, key)) || usesExtendedFilter(viewed.view, body)
  if (!asked) return undefined
  const { createPlanExtensions } = await import('./create-plan-extensions.ts')
  return createPlanExtensions(viewed, body, { now, day, secret })
}

function usesExtendedFilter({ filters }: TableView, body: UnknownBody): boolean {
  const isExtended = (operator: unknown) => !basicOperators.has(operator)
  if (![...filters.values()].some(({ operators, folds }) => folds || operators.some(isExtended))) return false
  const asked = readFilters(ownValue(body, 'filters'), maxFilters) ?? []
  return asked.some(({ field, operator }) => {
    const filter = typeof field === 'string' ? filters.get(field) : undefined
    return filter?.folds || isExtended(operator || filter?.operators[0] || '=')
  })
}
