import { readMigrations } from '#lib'

/** The migrations that bring a database from any earlier state to the current schema. */
export const migrations = readMigrations(new URL('./migrations/', import.meta.url))
