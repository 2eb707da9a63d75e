import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import type { Mutant } from './mutant.ts'

const project = resolve(import.meta.dirname, '../..')
/** The paths that the copy reaches by a link, or makes for itself. */
const uncopied = new Set(['node_modules', '.git', '.local', 'cdk.out'])

/** The outcome of a run of tests: whether one failed, and its output. */
export interface TestRun {
  readonly failed: boolean
  readonly output: string
}

export interface MutatedProject {
  /** Runs test files of the copy as it is. */
  readonly run: (tests: readonly string[]) => Promise<TestRun>
  /** Runs a mutant's tests with its change in `file`, which is relative to the project, and takes the change back. */
  readonly runMutated: (mutant: Mutant, file: string) => Promise<TestRun>
  readonly remove: () => Promise<void>
}

/** Copies the project to be changed, so that its own files are never touched. */
export async function createMutatedProject(): Promise<MutatedProject> {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-mutants-'))
  await cp(project, directory, { recursive: true, filter: (path) => !uncopied.has(relative(project, path)) })
  await symlink(join(project, 'node_modules'), join(directory, 'node_modules'))
  const run = (tests: readonly string[]) => runTests(directory, tests)
  return {
    run,
    runMutated: async ({ text, replacement, tests }, path) => {
      const file = join(directory, path)
      const before = await readFile(file, 'utf8')
      const after = before.replace(text, () => replacement)
      await writeFile(file, after)
      try {
        return await run(tests)
      } finally {
        await writeFile(file, before)
      }
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A change may let a test wait for ever. */
const limits = ['--testTimeout=90000', '--hookTimeout=90000', '--expect.poll.timeout=30000']

async function runTests(directory: string, tests: readonly string[]): Promise<TestRun> {
  const vitest = join(directory, 'node_modules/vitest/vitest.mjs')
  const options = [
    '--config=test/vitest.config.ts',
    '--bail=1',
    '--maxWorkers=1',
    '--typecheck.enabled=false',
    ...limits,
  ]
  const child = spawn(process.execPath, [vitest, 'run', ...options, '--reporter=dot', ...tests], {
    cwd: directory,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const code = new Promise<number | null>((closed) => child.once('close', closed))
  const [out, err] = await Promise.all([readText(child.stdout), readText(child.stderr)])
  const output = `${out}${err}`
  if (/No test files found/.test(output)) throw new Error(`There are no tests in ${tests.join(' ')}`)
  return { failed: (await code) !== 0, output }
}
