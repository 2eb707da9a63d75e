import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { runHere } from './command-here.ts'
import { type CompilerError, findCompilerErrors } from './compiler-errors.ts'

const project = resolve(import.meta.dirname, '../../..')

const { PATH = '', NODE_COMPILE_CACHE = '', NODE_OPTIONS = '' } = process.env
/**
 * The commands see nothing else of the test run. The cache of compiled modules and the quick imports save two thirds of
 * their time.
 */
const inherited = { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS }

export interface EndedProcess {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

type Scaffold = (name: string, args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<EndedProcess>

export interface ProjectCopy {
  /** Another one after each command, so that modules are loaded as they are then. */
  readonly directory: string
  /** Runs a command of package.json's scripts in the copy: `infra/scaffold/<name>.ts` with its arguments. */
  readonly scaffold: Scaffold
  /** Runs it in a process of its own, as npm does: once for each command is enough. */
  readonly scaffoldAlone: Scaffold
  /** Compiles the tables, their tests and the functions, which are all that a table can break. */
  readonly compile: () => Promise<readonly CompilerError[]>
  readonly remove: () => Promise<void>
}

/** A copy of the tables, to be written into; everything else is the project's own. */
export async function projectCopy(): Promise<ProjectCopy> {
  const parent = await mkdtemp(join(tmpdir(), 'table-control-copy-'))
  let commands = 0
  let directory = join(parent, 'project-0')
  await mkdir(directory)
  for (const path of ['tables', 'package.json', 'tsconfig.json'])
    await cp(join(project, path), join(directory, path), { recursive: true })
  await mkdir(join(directory, 'test'))
  const compiled = {
    extends: './tsconfig.json',
    include: ['functions', 'tables', 'test/tables', 'test/support/run', 'lib/**/*.d.ts'],
  }
  await writeFile(join(directory, 'tsconfig.tables.json'), JSON.stringify(compiled))
  for (const path of ['lib', 'infra', 'functions', 'node_modules', 'test/support'])
    await symlink(join(project, path), join(directory, path))
  const run = (file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    waitForEnd(file, args, {
      cwd: directory,
      env: { ...inherited, LOCAL_DIRECTORY: directory, ...env },
    })
  return {
    get directory() {
      return directory
    },
    scaffold: async (name, args, env) => {
      const environment = { LOCAL_DIRECTORY: directory, ...env }
      const { exitCode, stdout, stderr } = await runHere(`infra/scaffold/${name}.ts`, args, { directory, environment })
      commands += 1
      const next = join(parent, `project-${commands}`)
      await rename(directory, next)
      directory = next
      return { code: exitCode, out: stdout, err: stderr }
    },
    scaffoldAlone: (name, args, env) =>
      run(process.execPath, [join(project, `infra/scaffold/${name}.ts`), ...args], env),
    compile: () => findCompilerErrors(join(directory, 'tsconfig.tables.json')),
    remove: () => rm(parent, { recursive: true, force: true }),
  }
}

async function waitForEnd(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<EndedProcess> {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const code = new Promise<number | null>((done) => child.once('close', done))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, out, err }
}
