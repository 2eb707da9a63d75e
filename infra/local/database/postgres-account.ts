import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { postgresBinaries, shareBinaries } from './postgres-binaries.ts'

const nobody = { uid: 65534, gid: 65534 }

/** How this machine may run Postgres, which refuses to be root. */
export interface PostgresAccount {
  /** Turns the name of a binary and its arguments into the command to spawn. */
  command(binary: string, args: readonly string[]): { readonly file: string; readonly args: readonly string[] }
  readonly options: { readonly uid?: number; readonly gid?: number }
  /** Gives a file or folder to the account. */
  own(path: string): void
}

const canRun = (command: readonly string[], options: SpawnSyncOptions = {}) =>
  spawnSync(command[0] ?? '', command.slice(1), { ...options, stdio: 'ignore' }).status === 0

const account = (binaries: string, prefix: readonly string[], options: PostgresAccount['options'] = {}) => ({
  command: (binary: string, args: readonly string[]) => {
    const [file = '', ...rest] = [...prefix, join(binaries, 'bin', binary), ...args]
    return { file, args: rest }
  },
  options,
  own: (path: string) => {
    if (options.uid !== undefined && options.gid !== undefined) chownSync(path, options.uid, options.gid)
  },
})

/**
 * Creates `directory` and returns the account for a cluster in it. Root becomes an ordinary user in a user namespace
 * or, if those are forbidden, the user `nobody`, who must be able to reach the directory.
 */
export function postgresAccount(directory: string): PostgresAccount {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const binaries = postgresBinaries()
  if (process.platform !== 'linux') return account(binaries, [])
  // Linux then stops the server together with the process that started it, however that one ended.
  const dieWithParent = ['setpriv', '--pdeathsig', 'INT']
  const prefix = canRun([...dieWithParent, 'true']) ? dieWithParent : []
  if (process.getuid?.() !== 0) return account(binaries, prefix)
  const namespace = ['unshare', '-U', '--map-user=1000', '--map-group=1000']
  if (canRun([...namespace, 'true'])) return account(binaries, [...namespace, ...prefix])
  return createUnprivilegedAccount(binaries, prefix, directory)
}

function createUnprivilegedAccount(binaries: string, prefix: readonly string[], directory: string): PostgresAccount {
  const asNobody = account(shareBinaries(binaries), prefix, nobody)
  asNobody.own(directory)
  chmodSync(directory, 0o700)
  if (canRun(['test', '-w', directory], nobody)) return asNobody
  throw new Error(
    `Postgres does not run as root, user namespaces are forbidden here, and the user "nobody" cannot reach ${directory}. ` +
      'Run as an ordinary user, or set LOCAL_DIRECTORY to a folder that every user can reach.',
  )
}
