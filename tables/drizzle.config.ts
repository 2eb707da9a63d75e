import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: ['./tables/schema', './lib/db/service-tables.ts'],
  out: './tables/migrations',
  schemaFilter: ['public', 'table_control'],
})
