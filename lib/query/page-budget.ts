import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { mayEstimate, readPrediction, type SecuredBy } from './page.ts'

/**
 * The planner's cost that surely takes a millisecond: four times what usual data in memory takes, so that nothing is
 * refused that would fit.
 */
const sureCostPerMs = 400

/**
 * Returns the database for the statement of one page. Throws `page_too_costly` where it exceeds the budget: before it
 * runs if the planner is sure of that, else by stopping it. Inside a scope the planner is not asked, because its costs
 * would tell of rows outside.
 */
export function boundPage(
  { database, ...opened }: OpenedTable & SecuredBy & { readonly database: Database },
  budgetMs: number,
): Database {
  const asksPlanner = mayEstimate(opened, opened)
  const refuse = (): never => {
    throw new RequestError('page_too_costly', { budget: budgetMs })
  }
  const read: Database['read'] = async (text, parameters) => {
    if (text.startsWith('explain ')) return database.read(text, parameters)
    if (asksPlanner) {
      const { cost } = await readPrediction(database, `explain (format json) ${text}`, parameters)
      if (cost > budgetMs * sureCostPerMs) return refuse()
    }
    return (await database.readWithin(budgetMs, text, parameters)) ?? refuse()
  }
  return { ...database, read }
}
