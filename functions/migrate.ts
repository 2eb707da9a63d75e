import { migrateDatabase } from '#lib'
import { migrations } from '#migrations'

/**
 * In a deployment with new migrations, before the other functions change: applies them and gives the functions their
 * rights.
 */
export const handler = migrateDatabase(migrations)
