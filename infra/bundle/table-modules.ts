import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { type EcmaScriptModule, parseSync } from 'oxc-parser'

type Label = string | { readonly en: string; readonly ar: string }

const root = resolve(import.meta.dirname, '../..')

/** A value that a module exports under a name. */
export interface ExportedValue {
  /** The module's file, absolute. */
  readonly file: string
  readonly name: string
}

/** A registered table that a module exports. */
export interface TableModule extends ExportedValue {
  /** The name of the table. */
  readonly table: string
  readonly label: Label | undefined
  /** Absent if a middleware is exported nowhere but in the files of tables. */
  readonly middlewares?: readonly ExportedValue[]
}

/** The exports of modules, by their files. */
export type ModuleExports = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** The modules that each module imports, by their specifiers. */
export type ModuleImports = ReadonlyMap<string, ReadonlyMap<string, string>>

export interface TableModules {
  /** The module that exports the registry. */
  readonly entry: string
  /** The tables that have a module, in the order of the registry. */
  readonly tables: readonly TableModule[]
  /** All modules of the installation but the entry, by their files. */
  readonly exports: ModuleExports
  /** The modules that export what others declare. */
  readonly reExporting: ReadonlySet<string>
  /** The file that declares each object and function. */
  readonly declared: ReadonlyMap<unknown, ExportedValue>
  /** Which module of the installation each of them imports by a specifier. */
  readonly imports: ModuleImports
  /** The modules that do nothing with tables but list them. */
  readonly lists: ReadonlySet<string>
  readonly readModule: ReadModule
}

/** Returns the imports and exports that a module writes. A file is read and parsed once. */
type ReadModule = (file: string) => EcmaScriptModule

/** The exports of the module of a registry that matter here. */
interface TablesModule {
  readonly registry: { readonly tables: ReadonlyMap<string, RegisteredTable> }
}

interface RegisteredTable {
  readonly name: string
  readonly definition: { readonly label?: Label; readonly middlewares?: readonly unknown[] }
}

/**
 * Loads the registry of `entry` with all of its tables, and finds the module of each. Rejects with the mistakes of
 * their authors. A table that no module of its own exports is not found, and stays in the code that every function
 * loads.
 */
export async function findTableModules(entry: string): Promise<TableModules> {
  const { registry }: TablesModule = await import(pathToFileURL(entry).href)
  const inputs = await listInputs(entry)
  const exports = await readExports([...inputs.keys()].filter((file) => file !== entry))
  const readModule = createReader()
  const reExporting = new Set([...exports.keys()].filter((file) => isReExporting(readModule(file))))
  const declared = findDeclarations(exports, reExporting)
  const byDefinition = new Map([...declared].map(([value, place]) => [Object(value)['definition'], place]))
  const placed = [...registry.tables.values()].flatMap(({ name, definition }) => {
    const place = byDefinition.get(definition)
    return place === undefined ? [] : [{ definition, place, table: name }]
  })
  const files = new Set(placed.map(({ place }) => place.file))
  const tables = placed.map(({ place, table, definition: { label, middlewares = [] } }): TableModule => {
    const places = middlewares.flatMap((middleware) => declared.get(middleware) ?? [])
    const areApart = places.length === middlewares.length && places.every(({ file }) => !files.has(file))
    return { ...place, table, label, ...(areApart && { middlewares: places }) }
  })
  const ofTables = findReachableModules(inputs, files, new Set())
  const lists = [...findReachableModules(inputs, [entry], files)].filter((file) => !ofTables.has(file))
  return { entry, tables, exports, declared, reExporting, imports: inputs, lists: new Set(lists), readModule }
}

/** Returns the imports of each module of the installation that `entry` reaches; packages and lib are left out. */
async function listInputs(entry: string): Promise<ModuleImports> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    external: ['#*'],
    logLevel: 'silent',
  })
  const list = ({ imports }: Metafile['inputs'][string]) =>
    imports.flatMap(({ external, path, original }) =>
      external === true || original === undefined ? [] : [[original, resolve(root, path)] as const],
    )
  return new Map(
    Object.entries(metafile.inputs).map(([path, input]) => [resolve(root, path), new Map(list(input))] as const),
  )
}

async function readExports(files: readonly string[]): Promise<ModuleExports> {
  const read = files.map(async (file) => [file, { ...(await import(pathToFileURL(file).href)) }] as const)
  return new Map(await Promise.all(read))
}

const isReExporting = ({ staticExports }: EcmaScriptModule): boolean =>
  staticExports.some(({ entries }) => entries.some(({ moduleRequest }) => moduleRequest !== null))

function findDeclarations(
  exports: ModuleExports,
  reExporting: ReadonlySet<string>,
): ReadonlyMap<unknown, ExportedValue> {
  const found = new Map<unknown, ExportedValue>()
  // A re-exporting module owns only what no other module exports.
  const ordered = [...exports].sort(([a], [b]) => Number(reExporting.has(a)) - Number(reExporting.has(b)))
  for (const [file, values] of ordered) {
    for (const [name, value] of Object.entries(values)) {
      // Equal texts and numbers need not be the same constant.
      if (Object(value) === value && !found.has(value)) found.set(value, { file, name })
    }
  }
  return found
}

/** Returns the modules that some reach, and those themselves. Modules of `limits` are not followed and not returned. */
function findReachableModules(
  imports: ModuleImports,
  from: Iterable<string>,
  limits: ReadonlySet<string>,
  found = new Set<string>(),
): ReadonlySet<string> {
  for (const file of from) {
    if (found.has(file) || limits.has(file)) continue
    findReachableModules(imports, imports.get(file)?.values() ?? [], limits, found.add(file))
  }
  return found
}

/**
 * Returns a filter for the specifiers of the imports that matter: esbuild asks a plugin about each import that its
 * filter matches, also of packages and of lib.
 */
export function specifierFilter(
  { imports }: TableModules,
  importsMatter: (importer: string, file: string) => boolean,
): RegExp {
  const specifiers = [...imports].flatMap(([importer, files]) =>
    [...files].flatMap(([specifier, file]) => (importsMatter(importer, file) ? [specifier] : [])),
  )
  const escaped = [...new Set(specifiers)].map((one) => one.replace(/[^\w\P{ASCII}]/gu, '\\$&'))
  return new RegExp(`^(?:${escaped.join('|')})$`)
}

function createReader(): ReadModule {
  const parsed = new Map<string, EcmaScriptModule>()
  return (file) => {
    const module = parsed.get(file) ?? parseSync(file, readFileSync(file, 'utf8')).module
    parsed.set(file, module)
    return module
  }
}
