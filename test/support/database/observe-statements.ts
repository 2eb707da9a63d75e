import type { Database } from '../../../lib/db/database.ts'

/**
 * Adds the text of each statement to `statements` before it is sent, but for those of drizzle and the ends of
 * transactions.
 */
export function observeStatements(database: Database, statements: string[]): Database {
  const observed: Database = {
    ...database,
    read: (text, parameters) => {
      statements.push(text)
      return database.read(text, parameters)
    },
    transaction: (work, mode) =>
      database.transaction((transaction) => {
        const run: typeof transaction.run = (text, parameters) => {
          statements.push(text)
          return transaction.run(text, parameters)
        }
        return work({ ...transaction, run })
      }, mode),
    as: (identity) => {
      const own = database.as(identity)
      return own === database ? observed : observeStatements(own, statements)
    },
  }
  return observed
}
