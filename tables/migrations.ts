import { readMigrations } from '#lib'

/** What makes the tables of the schema out of an empty database, or out of any state before. */
export const migrations = readMigrations(new URL('./migrations/', import.meta.url))
