import { pgSchema, timestamp } from 'drizzle-orm/pg-core'

/**
 * The schema of the service's own tables. Times are instants; `subject` is the `sub` of the caller to whom a row
 * belongs.
 */
export const service = pgSchema('table_control')

/** Defines a column of instants. */
export const moment = () => timestamp({ withTimezone: true, mode: 'date' })

/** Defines the column of when a row was added. */
export const createdAt = () => moment().notNull().defaultNow()
