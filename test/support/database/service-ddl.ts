import { readdir, readFile } from 'node:fs/promises'

const migrations = new URL('../../../tables/migrations/', import.meta.url)

/**
 * Reads the statements of the migrations that make the service's own tables: every statement that names their schema.
 */
export async function serviceDdl(): Promise<string> {
  const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql'))
  const texts = await Promise.all(files.toSorted().map((file) => readFile(new URL(file, migrations), 'utf8')))
  const statements = texts.flatMap((text) => text.split('--> statement-breakpoint'))
  return statements.filter((statement) => statement.includes('"table_control"')).join('')
}
