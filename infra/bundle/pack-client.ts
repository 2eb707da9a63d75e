import { execFile } from 'node:child_process'
import { access, constants, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, parse, resolve } from 'node:path'
import { promisify } from 'node:util'
import { runCommand } from '../run-command.ts'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

/** The grids whose types the adapters name, with the oldest version that each adapter works with. */
const gridVersions = {
  '@mui/x-data-grid': '>=9',
  '@refinedev/core': '>=5',
  '@tanstack/react-table': '>=9',
  'ag-grid-community': '>=36',
  'datatables.net': '>=3',
  'ra-core': '>=5',
}

/** Compiles lib/client and packs it into `directory` with `npm pack`. Returns the path of the tarball. */
export async function packClient(directory: string): Promise<string> {
  // A folder that cannot be made or written is reported before the compilation, which takes seconds; npm says no reason.
  await mkdir(directory, { recursive: true })
  await access(directory, constants.W_OK)
  const folder = await mkdtemp(join(tmpdir(), 'table-control-client-'))
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const compile = [compiler, '--singleThreaded', '-p', join(root, 'lib/client'), '--outDir', join(folder, 'dist')]
    await run(process.execPath, compile)
    await writeFile(join(folder, 'package.json'), JSON.stringify(await clientManifest(), null, 2))
    await writeFile(join(folder, 'README.md'), withoutRelativeLinks(await readText('lib/client/README.md')))
    await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', resolve(directory)], { cwd: folder })
    const [packed] = JSON.parse(stdout) as readonly { readonly filename: string }[]
    if (packed === undefined) throw new Error('npm pack reported no tarball')
    return resolve(directory, packed.filename)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function clientManifest(): Promise<object> {
  const { version, license } = JSON.parse(await readText('package.json')) as Readonly<Record<string, unknown>>
  const adapters = (await readdir(join(root, 'lib/client/adapters'))).map((file) => parse(file).name)
  const entry = (path: string) => ({ types: `./dist/client/${path}.d.ts`, default: `./dist/client/${path}.js` })
  return {
    name: 'table-control-client',
    version,
    description: 'A typed client of Table Control, with adapters for grids.',
    license,
    type: 'module',
    sideEffects: false,
    files: ['dist'],
    exports: Object.fromEntries([
      ['.', entry('index')],
      ['./changes', entry('changes')],
      ['./imports', entry('imports')],
      ['./live', entry('live')],
      ...adapters.map((name) => [`./${name}`, entry(`adapters/${name}`)] as const),
    ]),
    peerDependencies: gridVersions,
    peerDependenciesMeta: Object.fromEntries(Object.keys(gridVersions).map((grid) => [grid, { optional: true }])),
  }
}

const readText = (path: string): Promise<string> => readFile(join(root, path), 'utf8')

/** The package holds no other page of the repository, so links to one become their text. */
const withoutRelativeLinks = (markdown: string): string => markdown.replace(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, '$1')

const usage = `Usage: npm run --silent pack:client [-- <folder>]
Packs the client for frontends and prints the path of its tarball.
  <folder>  where to write it; default: .local`

async function pack(positionals: readonly string[]): Promise<number> {
  const [directory = join(root, '.local'), ...others] = positionals
  if (others.length > 0) throw new Error(`Name one folder.\n${usage}`)
  console.log(await packClient(directory))
  return 0
}

if (import.meta.main) await runCommand(usage, { allowPositionals: true }, ({ positionals }) => pack(positionals))
