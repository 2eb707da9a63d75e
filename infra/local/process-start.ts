import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

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
  try {
    // The name of the program, in parentheses, may hold spaces.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return state === 'Z' ? undefined : fields[18]
  } catch {
    return undefined
  }
}
