import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql, TransactionSql } from 'postgres'
import { isServerError } from './database-error.ts'
import { type Migration, MigrationError, type MigrationPart, splitStatements } from './migration-files.ts'

export interface MigrateOptions {
  /** A reading of `performance.now()`, after which the server ends what still runs. */
  readonly expires?: number
  /** For how long a statement waits for a lock, while everything else waits behind it. */
  readonly lockTimeoutMs?: number
  /** How many times a file is tried in all if it does not get a lock. Default: 5. */
  readonly attempts?: number
  /** Receives the name of each file that is about to be applied. */
  readonly report?: (file: string) => void
}

/**
 * Applies missing migrations, each file in its own transaction, and returns their names. Refuses a file that was
 * changed after it was applied, before anything is done. Ignores migrations of a later version, which only the database
 * has. Concurrent calls on one database wait for each other.
 *
 * The database remembers files as drizzle's own migrator does, in drizzle.__drizzle_migrations.
 */
export async function migrate(
  sql: Sql,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<readonly string[]> {
  await withMigrationLock(sql, options, createRecord)
  const known = await readApplied(sql)
  for (const migration of migrations) refuseChanged(migration, known)
  const applied: string[] = []
  for (const migration of migrations) {
    if (!known.has(migration.createdAt) && (await apply(sql, migration, options))) applied.push(migration.file)
  }
  return applied
}

/** A living caller sends each statement at once: after this pause, the locks of one that has died are released. */
const maxSilence = '10s'

/**
 * Runs `work` in a transaction in which no other migration of this database is under way. Rejects with a
 * `MigrationError` if another one does not end in time.
 */
export const withMigrationLock = <T>(
  sql: Sql,
  { expires }: Pick<MigrateOptions, 'expires'>,
  work: (sql: TransactionSql) => Promise<T>,
) =>
  sql.begin(async (transaction) => {
    // The settings and the lock end with the transaction, even if the connection is lost.
    await transaction`
      select set_config('lock_timeout', '0', true), set_config('statement_timeout', ${remainingMs(expires)}, true),
        set_config('idle_in_transaction_session_timeout', ${maxSilence}, true)`
    // A table without a schema must not be made in one that happens to have the owner's name.
    await transaction`select set_config('search_path', regexp_replace(current_setting('search_path'), '"\\$user",?\\s*', ''), true)`
    await transaction`select pg_advisory_xact_lock(hashtext('table_control.migrations'))`.catch((cause) => {
      const isLate = isServerError(cause) && cause.code === statementTimeout
      throw isLate
        ? new MigrationError('another migration of this database did not end in time; try again when it has ended')
        : cause
    })
    return work(transaction)
  })

/** In milliseconds; 0 is no limit. */
function remainingMs(expires = Number.POSITIVE_INFINITY): string {
  if (expires === Number.POSITIVE_INFINITY) return '0'
  return String(Math.max(1, Math.round(expires - performance.now())))
}

async function createRecord(sql: TransactionSql): Promise<void> {
  const [found] = await sql`select to_regclass('drizzle.__drizzle_migrations') as record`
  if (found?.['record'] !== null) return
  await sql`create schema if not exists drizzle`
  await sql`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`
}

/** The hashes of the files that the database has, by when they were made. */
async function readApplied(sql: Sql | TransactionSql): Promise<ReadonlyMap<number, string>> {
  const rows = await sql<{ created_at: string; hash: string }[]>`
    select created_at, hash from drizzle.__drizzle_migrations where created_at is not null`
  return new Map(rows.map(({ created_at, hash }) => [Number(created_at), hash]))
}

function refuseChanged({ file, createdAt, hash }: Migration, known: ReadonlyMap<number, string>): void {
  const applied = known.get(createdAt)
  if (applied === undefined || applied === hash) return
  throw new MigrationError(
    `${file} was changed after it had been applied to this database. Put it back as it was, and write the change as another migration.`,
  )
}

const statementTimeout = '57014'

const busy: ReadonlySet<string> = new Set(['55P03', '40P01'])

async function apply(sql: Sql, migration: Migration, options: MigrateOptions): Promise<boolean> {
  const { attempts = 5 } = options
  for (let attempt = 1; ; attempt += 1) {
    const progress: Progress = { place: undefined }
    try {
      return await withMigrationLock(sql, options, (transaction) =>
        applyOnce(transaction, migration, options, progress),
      )
    } catch (error) {
      const again = isServerError(error) && busy.has(error.code) && attempt < attempts
      if (!again) throw migrationFailure(migration, progress.place, error)
    }
    // A process that waited for the lock goes first.
    await sleep(attempt * 500)
  }
}

/** The place in a file: a statement, its end, or before its first statement. */
type MigrationPlace = MigrationPart | 'end' | undefined

interface Progress {
  place: MigrationPlace
}

async function applyOnce(
  sql: TransactionSql,
  migration: Migration,
  options: MigrateOptions,
  progress: Progress,
): Promise<boolean> {
  const { lockTimeoutMs = 5_000, report } = options
  const known = await readApplied(sql)
  refuseChanged(migration, known)
  if (known.has(migration.createdAt)) return false
  report?.(migration.file)
  await sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`
  for (const part of splitStatements(migration)) {
    await sql`select set_config('statement_timeout', ${remainingMs(options.expires)}, true)`
    progress.place = part
    await sql.unsafe(part.text)
  }
  progress.place = 'end'
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${migration.hash}, ${migration.createdAt})`
  return true
}

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

/** Messages of class 22 (values), 23 (constraints) and P0 (raised by a file) may quote the values of a row. */
const quotesData = /^(2[23]|P0)/

/**
 * Returns an error that names the line of the refused statement and the reason, without values of rows. Other errors
 * are returned unchanged.
 */
function migrationFailure(migration: Migration, place: MigrationPlace, cause: unknown): unknown {
  if (!isServerError(cause)) return cause
  // The check proves the fields of a server's error.
  const failure = cause as unknown as Failure
  return new MigrationError(`${migration.file}${findLine(migration, place, failure)}: ${failureReason(failure)}`)
}

function findLine({ text }: Migration, place: MigrationPlace, { position }: Failure): string {
  if (place === undefined) return ''
  if (place === 'end') return ', at its end'
  const leading = place.text.length - place.text.trimStart().length
  const at = place.offset + (position === undefined ? leading : Number(position) - 1)
  return `, line ${text.slice(0, at).split('\n').length}`
}

/** Never with the server's `detail`, which quotes rows. */
export function failureReason(failure: Pick<Failure, 'code' | 'message'> & Partial<Failure>): string {
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
