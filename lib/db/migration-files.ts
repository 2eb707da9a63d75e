import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import * as z from 'zod/mini'

/** One file of migrations, as drizzle-kit writes them. */
export interface Migration {
  readonly file: string
  /** The key under which a database remembers it, in milliseconds since 1970. */
  readonly createdAt: number
  /** The hash of the file's whole content. */
  readonly hash: string
  readonly text: string
}

export interface MigrationFolder {
  /** In the order in which they are applied. */
  readonly migrations: readonly Migration[]
  /** Changes exactly when a file or their order does. */
  readonly hash: string
}

const journal = z.object({ entries: z.array(z.object({ tag: z.string(), when: z.number() })) })

/**
 * Reads the files that the folder's journal names. Throws for one that is missing, not named, or not later than the one
 * before.
 */
export function readMigrations(folder: URL): MigrationFolder {
  const { entries } = z.parse(journal, JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8')))
  const present = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const named = entries.map(({ tag }) => `${tag}.sql`)
  const missing = named.find((file) => !present.includes(file))
  if (missing !== undefined) throw new MigrationError(`${missing} is missing, and meta/_journal.json names it`)
  const unnamed = present.find((file) => !named.includes(file))
  if (unnamed !== undefined) {
    throw new MigrationError(
      `meta/_journal.json does not name ${unnamed}; "npm run db:generate -- --custom" begins one`,
    )
  }
  const migrations = entries.map(({ tag, when }) => parseMigration(folder, `${tag}.sql`, when))
  migrations.forEach(refuseUnordered)
  return { migrations, hash: sha256(migrations.map(({ file, hash }) => `${file} ${hash}\n`).join('')) }
}

/** A database could not tell equal ones apart and would skip one; drizzle's migrator skips the earlier one. */
function refuseUnordered({ file, createdAt }: Migration, index: number, all: readonly Migration[]): void {
  const before = all[index - 1]
  if (before === undefined || before.createdAt < createdAt) return
  throw new MigrationError(`${file} must be newer than ${before.file}: remove it and run "npm run db:generate" again`)
}

function parseMigration(folder: URL, file: string, createdAt: number): Migration {
  const text = readFileSync(new URL(file, folder), 'utf8')
  return { file, createdAt, hash: sha256(text), text }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A part of a file that is sent to the server as it is. */
export interface MigrationPart {
  readonly text: string
  /** How many characters of the file are in front of it. */
  readonly offset: number
}

const breakpoint = '--> statement-breakpoint'

/** The parts of a file between its breakpoints; most are one statement each. */
export function splitStatements({ text }: Migration): readonly MigrationPart[] {
  let offset = 0
  return text.split(breakpoint).map((part) => {
    const here = offset
    offset += part.length + breakpoint.length
    return { text: part, offset: here }
  })
}

/** An invalid migration or an invalid role of the functions. The message names the file or the role and the reason. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}
