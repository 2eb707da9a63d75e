import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'

/** Larger than Linux and macOS count. */
const nobody = 2 ** 30

/** Directories as workers leave them, in a directory for temporary files of its own. */
async function leftBehind(): Promise<(name: string, hoursAgo?: number) => Promise<string>> {
  const directory = await mkdtemp(join(tmpdir(), 'left-behind-'))
  vi.stubEnv('TMPDIR', directory)
  onTestFinished(() => void vi.unstubAllEnvs())
  return async (name, hoursAgo = 0) => {
    const path = join(directory, name)
    await mkdir(path)
    const at = Date.now() / 1_000 - hoursAgo * 3_600
    await utimes(path, at, at)
    return path
  }
}

it('a worker removes the directories of killed workers, and none of running workers', async () => {
  const leave = await leftBehind()
  const gone = [
    await leave(`table-control-job-${nobody}-abcdef`),
    await leave(`table-control-job-${process.pid}-abcdef`, 0.9),
    await leave('table-control-job-abcdef', 2),
  ]
  const kept = [
    await leave(`table-control-job-${process.ppid}-abcdef`),
    await leave('table-control-job-abcdeg'),
    await leave('report', 2),
  ]
  const { createJobDirectory } = await import('../../../lib/jobs/job-directory.ts')
  const [first, second] = await Promise.all([createJobDirectory(), createJobDirectory()])
  expect(gone.filter((path) => existsSync(path))).toEqual([])
  expect(kept.filter((path) => !existsSync(path))).toEqual([])
  expect([existsSync(first), existsSync(second), first === second]).toEqual([true, true, false])
})
