import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../error-message.ts'
import { freePort } from '../free-port.ts'
import { type PostgresAccount, postgresAccount } from './postgres-account.ts'
import { postgresMajor } from './postgres-binaries.ts'
import { stopOrphan } from './postgres-orphan.ts'

const user = 'table_control'

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=256MB',
  // The test files of several workers share one server, and each pool of each file counts.
  'max_connections=400',
  'maintenance_work_mem=256MB',
  'max_wal_size=4GB',
  'timezone=UTC',
  // Without "$user": the owner has the name of the schema of the service's own tables.
  'search_path=public',
  // A COPY into a table that its own transaction emptied then writes no WAL.
  'wal_level=minimal',
  'max_wal_senders=0',
]

/** Trigrams go by LC_CTYPE: with C, words of Arabic have none. macOS and Windows have no C.UTF-8 of their own. */
const characterType: Readonly<Partial<Record<NodeJS.Platform, string>>> = { linux: 'C.UTF-8', darwin: 'UTF-8' }

/** Returns the flags of initdb for a major version. One before 17 knows only the locales of the system. */
const listLocaleFlags = (major: number) => [
  `--locale=${major < 17 ? 'C.UTF-8' : 'C'}`,
  ...(major < 17 ? [] : ['--locale-provider=builtin', '--builtin-locale=C.UTF-8']),
  `--lc-ctype=${characterType[process.platform] ?? 'C'}`,
]

const withoutDurability = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

export interface PostgresOptions {
  /** Holds the cluster and its password; created when missing, used again when not. */
  readonly directory: string
  /** Default: a free port. */
  readonly port?: number
  /** True for data that need not survive a power cut, such as a test's: starts and commits faster. */
  readonly ephemeral?: boolean
  /** Settings such as `wal_level=replica`, which win over the usual ones. */
  readonly settings?: readonly string[]
  /** Receives the server's own log, as it comes. */
  readonly log?: (text: string) => void
}

export interface Postgres {
  readonly url: (database?: string) => string
  readonly port: number
  readonly pid: number
  /** True when this start created the cluster. */
  readonly fresh: boolean
  /** Resolves with the end of the server's log when it has ended, whether stopped or of itself. */
  readonly ended: Promise<string>
  /** Closes every connection and ends the server. Calling it again is harmless. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a real Postgres on 127.0.0.1, and resolves when it accepts connections. Its texts are in UTF-8 and sorted by
 * code point, and it knows the cases of every script. A server that a killed run left on the same directory is stopped
 * first. On Linux it ends with the calling process.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const directory = resolve(options.directory)
  const cluster = join(directory, 'cluster')
  const account = postgresAccount(directory)
  const fresh = !existsSync(join(directory, 'password'))
  if (fresh) createCluster(account, directory, options.ephemeral === true)
  else await stopOrphan(cluster)
  const password = readPassword(directory)

  const port = options.port ?? (await freePort())
  const server = await startServer(() => run(account, cluster, port, options)).catch((cause: unknown) => {
    if (!damaged.test(String(cause))) throw cause
    throw new Error(`${errorMessage(cause)}\nTo go on, ${deleteCluster(directory)}.`, { cause })
  })
  return {
    url: (database = 'postgres') => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    port,
    pid: server.child.pid ?? 0,
    fresh,
    ended: server.ended,
    stop: () => stop(server),
  }
}

function readPassword(directory: string): string {
  const file = join(directory, 'password')
  const password = readFileSync(file, 'utf8').trim()
  if (password !== '') return password
  throw new Error(`${file} is empty; put the password of ${user} into it, or ${deleteCluster(directory)}`)
}

const deleteCluster = (directory: string) => `delete ${directory} with all rows, and the next start makes them anew`

/** The words of Postgres for files that no start mends: of another version, emptied or lost. */
const damaged = /database files are incompatible|not a valid data directory|control file|checkpoint record/

const maxStartMs = 10_000

/**
 * Backends of a server that was killed hold its shared memory for a moment longer, and until then no other one starts.
 */
async function startServer<Server extends { readonly ready: Promise<void> }>(start: () => Server): Promise<Server> {
  const end = Date.now() + maxStartMs
  for (;;) {
    const server = start()
    try {
      await server.ready
      return server
    } catch (error) {
      if (!String(error).includes('pre-existing shared memory block') || Date.now() > end) throw error
      await sleep(100)
    }
  }
}

/**
 * The password file is moved into place last: a directory without it holds at most a cluster that was never finished.
 */
function createCluster(account: PostgresAccount, directory: string, ephemeral: boolean): void {
  const cluster = join(directory, 'cluster')
  const draft = join(directory, 'password.draft')
  const major = postgresMajor()
  rmSync(cluster, { recursive: true, force: true })
  writeFileSync(draft, randomBytes(18).toString('hex'), { mode: 0o600 })
  account.own(draft)
  const flags = ['--auth=scram-sha-256', `--pwfile=${draft}`, '--encoding=UTF8', ...listLocaleFlags(major)]
  const checksums = major < 18 ? [] : ['--no-data-checksums']
  const unsafe = ephemeral ? ['--no-sync', ...checksums] : []
  const command = account.command('initdb', ['-D', cluster, '-U', user, ...flags, ...unsafe])
  const result = spawnSync(command.file, command.args, { ...account.options, encoding: 'utf8' })
  if (result.status !== 0) {
    throw new Error(`initdb could not create ${cluster}: ${result.error?.message ?? result.stderr.trim()}`)
  }
  renameSync(draft, join(directory, 'password'))
}

function run(account: PostgresAccount, cluster: string, port: number, options: PostgresOptions) {
  const { ephemeral, log, settings: own = [] } = options
  const all = [...settings, ...(ephemeral === true ? withoutDurability : []), ...own]
  const command = account.command('postgres', ['-D', cluster, '-p', String(port), ...all.flatMap((one) => ['-c', one])])
  // Its own process group, so that Ctrl-C reaches this process only, which stops the server after its last request.
  const child = spawn(command.file, command.args, {
    ...account.options,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return { child, ...watch(child, log) }
}

function watch(child: ChildProcess, log: PostgresOptions['log']) {
  let tail = ''
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', () => resolve(tail.trim()))
  })
  const ready = new Promise<void>((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-2_000)
      log?.(text)
      if (/ready to accept (read-only )?connections/.test(tail)) resolve()
    })
    ended.then((reason) => reject(new Error(`Postgres did not start: ${reason}`)), reject)
  })
  return { ended, ready }
}

async function stop({ child, ended }: ReturnType<typeof run>): Promise<void> {
  child.kill('SIGINT')
  const patience = setTimeout(() => child.kill('SIGQUIT'), 10_000)
  await ended
  clearTimeout(patience)
}
