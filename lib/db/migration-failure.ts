import { isServerError } from './database-error.ts'
import { MigrationError } from './migration-error.ts'
import type { Migration, MigrationPart } from './migration-files.ts'

interface Failure {
  readonly code: string
  readonly message: string
  /** Counted in characters from 1. */
  readonly position?: string
  readonly schema_name?: string
  readonly table_name?: string
  readonly column_name?: string
  readonly constraint_name?: string
}

/** Of 22 (values), 23 (constraints) and P0 (what a file raises itself) the words may quote what a row holds. */
const quotesData = /^(2[23]|P0)/

/**
 * Says where in a file the server refused a statement, and why, without a word out of a row. What is no answer of the server
 * to a statement is returned as it is. Without a part it was the transaction's end.
 */
export function migrationFailure(migration: Migration, part: MigrationPart | undefined, cause: unknown): unknown {
  if (!isServerError(cause)) return cause
  const failure = cause as unknown as Failure
  return new MigrationError(`${migration.file}${placeOf(migration, part, failure)}: ${reasonOf(failure)}`)
}

function placeOf({ text }: Migration, part: MigrationPart | undefined, { position }: Failure): string {
  if (part === undefined) return ', at its end'
  const leading = part.text.length - part.text.trimStart().length
  const at = part.offset + (position === undefined ? leading : Number(position) - 1)
  return `, line ${text.slice(0, at).split('\n').length}`
}

/** Never with the server's `detail`, which quotes rows. */
export function reasonOf(failure: Pick<Failure, 'code' | 'message'> & Partial<Failure>): string {
  if (!quotesData.test(failure.code)) return `${failure.message} (${failure.code})`
  if (failure.code.startsWith('P0')) return `the file raised an exception (${failure.code})`
  const { schema_name, table_name, column_name, constraint_name } = failure
  const named = Object.entries({
    schema: schema_name,
    table: table_name,
    column: column_name,
    constraint: constraint_name,
  })
  const names = named.flatMap(([what, name]) => (name === undefined ? [] : [`${what} "${name}"`]))
  const what = failure.code.startsWith('23') ? 'rows break a constraint' : 'a value does not fit'
  return `${[what, ...names].join(', ')} (${failure.code})`
}
