import { spawnSync } from 'node:child_process'
import { tryReadFile } from './try-read-file.ts'

/**
 * Returns when a running process began, in a form to be compared: a later process with the same id has another one.
 * `undefined` when none runs with this id.
 */
export function processStart(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined
  if (process.platform !== 'linux') {
    const listed = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
    return listed.status === 0 ? listed.stdout.trim() : undefined
  }
  // The name of the program, in parentheses, may hold spaces.
  const facts = tryReadFile(`/proc/${pid}/stat`)?.replace(/^.*\) /s, '')
  const [state, ...fields] = facts?.split(' ') ?? []
  return state === 'Z' ? undefined : fields[18]
}
