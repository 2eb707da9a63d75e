import { readdirSync, watch } from 'node:fs'
import { type ResolveHookSync, registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '../../..')
const tables = resolve(root, 'tables')
/** The folders that are reloaded: table files and the functions that use them. Modules of lib/ stay loaded. */
const authored = [tables, resolve(root, 'functions')].map((folder) => `${pathToFileURL(folder).href}/`)

const modules = new Map<string, unknown>()
let round = 0

/** Makes Node read the authored files anew. A hook costs each import of a start a part of its time: none before. */
const startRound = (): number => {
  if (round === 0) registerHooks({ resolve: resolveAuthored })
  round += 1
  return round
}

const resolveAuthored: ResolveHookSync = (specifier, context, next) => {
  const resolved = next(specifier, context)
  const isAuthored = authored.some((folder) => resolved.url.startsWith(folder))
  // Node knows a module by its address and never reads it again, so that a new round needs new ones.
  return isAuthored ? { ...resolved, url: `${resolved.url.split('?')[0]}?round=${round}` } : resolved
}

/**
 * Imports the module of a function. What is returned has it as it is now, which a change of a table file makes another
 * one.
 */
export async function importReloaded(file: string): Promise<() => unknown> {
  if (!modules.has(file)) modules.set(file, await import(file))
  return () => modules.get(file)
}

const debounceMs = 100

export interface ReloadOptions {
  readonly report: (line: string) => void
  /** Returns advice about a schema that changed with the tables; `undefined` if there is none. */
  readonly readAdvice: () => Promise<string | undefined>
}

/**
 * Loads every function anew when a file of tables/ is saved. One that cannot be loaded changes nothing: the fault is
 * reported, and the service goes on with what it had. Returns what ends it.
 */
export function reloadOnSave(options: ReloadOptions): () => void {
  let timer: NodeJS.Timeout | undefined
  const onSave = (_: string, name: string | null) => {
    if (name?.endsWith('.ts') !== true) return
    clearTimeout(timer)
    timer = setTimeout(() => void reload(options), debounceMs)
  }
  // Folder by folder: a watch of the whole tree loses a file that an editor replaces instead of writing to it.
  const watchers = listFolders(tables).map((folder) => watch(folder, onSave))
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}

const listFolders = (folder: string): readonly string[] => [
  folder,
  ...readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => resolve(entry.parentPath, entry.name)),
]

async function reload({ report, readAdvice }: ReloadOptions): Promise<void> {
  const asked = startRound()
  try {
    const loaded = await Promise.all([...modules.keys()].map(async (file) => [file, await import(file)] as const))
    if (asked !== round) return
    for (const [file, module] of loaded) modules.set(file, module)
    report('tables/ has changed and is loaded anew')
    const advice = await readAdvice()
    if (advice !== undefined) report(advice)
  } catch (error) {
    report(`tables/ has changed and cannot be loaded; the version before stays in use. ${describeFault(error)}`)
  }
}

/** Says what is wrong with the file that was just saved, and where. */
const describeFault = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n    at ')[0] ?? ''
