import { countStatement } from '../query/page-statement.ts'
import type { Plan } from '../query/plan.ts'
import type { TableRequest } from './table-request.ts'

/** How many rows of a plan are inside the scope; counting stops at one more than `max`. */
export async function countRows(request: TableRequest, plan: Plan, max = Number.POSITIVE_INFINITY): Promise<number> {
  const { text, parameters } = countStatement(request, plan, max)
  const [row] = await request.database.read(text, parameters)
  return Number(row?.[0] ?? 0)
}
