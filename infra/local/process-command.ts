import { spawnSync } from 'node:child_process'
import { tryReadFile } from './try-read-file.ts'

/**
 * The arguments of a running process, or undefined when there is none with this id: a pid in a file may be anyone's by
 * now.
 */
export function processCommand(pid: number): readonly string[] | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 1) return undefined
  if (process.platform !== 'linux') {
    const listed = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return listed.status === 0 ? listed.stdout.trim().split(/\s+/) : undefined
  }
  const command = tryReadFile(`/proc/${pid}/cmdline`)?.split('\0').slice(0, -1)
  return command?.length === 0 ? undefined : command
}
