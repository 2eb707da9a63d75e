import { migrateDatabase } from '#lib'
import { migrations } from '#migrations'

/** In a deployment that brings migrations, before the other functions change: applies them and lets the functions in. */
export const handler = migrateDatabase(migrations)
