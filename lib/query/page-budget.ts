import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
import { readPrediction } from './page.ts'

/**
 * The planner's cost that surely takes a millisecond: four times what usual data in memory takes, so that nothing is refused that
 * would fit.
 */
const sureCostPerMs = 400

/**
 * Returns the database for the statement of one page. Throws `page_too_costly` before a statement runs if the planner is sure that it
 * exceeds the budget, and stops it where only running it tells.
 */
export function boundPage(database: Database, budgetMs: number): Database {
  const refuse = (): never => {
    throw new RequestError('page_too_costly', { budget: budgetMs })
  }
  const read: Database['read'] = async (text, parameters) => {
    if (text.startsWith('explain ')) return database.read(text, parameters)
    const { cost } = await readPrediction(database, `explain (format json) ${text}`, parameters)
    if (cost > budgetMs * sureCostPerMs) return refuse()
    return (await database.readWithin(budgetMs, text, parameters)) ?? refuse()
  }
  return { ...database, read }
}
