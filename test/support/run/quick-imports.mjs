// Loaded before anything else by each process of a run, also by those of npm, whose Node may be an older one.
import { realpathSync } from 'node:fs'
import nodeModule from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const project = new URL('../../../', import.meta.url).href

/** Folders of packages whose `.js` files are modules and name each other in full. */
const moduleFolders = ['drizzle-orm/', 'zod/', 'postgres/src/', 'csv-parse/lib/', 'aws-jwt-verify/dist/esm/'].map(
  (folder) => new URL(`node_modules/${folder}`, project).href,
)

/** The resolved imports of the project's own files, by specifier. */
const resolved = new Map()

/**
 * Resolves imports for which Node itself takes half a second of a busy processor in every process that loads the
 * service: those of the project's own files, and those between files of the packages that it loads, for each of which
 * Node looks for package.json.
 */
export function resolveQuickly(specifier, context, resolveNext) {
  const { parentURL = '' } = context
  const isRelative = specifier.startsWith('.')
  if (parentURL.includes('/node_modules/')) {
    if (nodeModule.isBuiltin(specifier)) return findBuiltin(specifier)
    const isModule = isRelative && specifier.endsWith('.js') && parentURL.endsWith('.js')
    const isKnown = isModule && moduleFolders.some((folder) => parentURL.startsWith(folder))
    return isKnown ? findFile(specifier, parentURL, 'module') : resolveNext(specifier, context)
  }
  if (isInCopy(parentURL)) return resolveInCopy(specifier, context, resolveNext)
  if (!parentURL.startsWith(project)) return resolveNext(specifier, context)
  if (isRelative && specifier.endsWith('.ts')) return findFile(specifier, parentURL, 'module-typescript')
  // The tests of the packed client require the packages of another workspace.
  const isImport = /^[@#]?\w/.test(specifier) && context.conditions.includes('import')
  return isImport ? findPackage(specifier, context, resolveNext) : resolveNext(specifier, context)
}

const isInCopy = (url) => url.includes('/table-control-copy-')

/** A copy has tables of its own. Its links lead to the files of the project, which are loaded once. */
function resolveInCopy(specifier, context, resolveNext) {
  if (specifier.startsWith('.') && specifier.endsWith('.ts')) {
    const file = realpathSync(fileURLToPath(new URL(specifier, context.parentURL)))
    return findFile(pathToFileURL(file), undefined, 'module-typescript')
  }
  return /^@?\w|^#lib$/.test(specifier) ? findPackage(specifier, context, resolveNext) : resolveNext(specifier, context)
}

/** Vitest's own hook sends a message about each module of Node to the main process. */
const findBuiltin = (specifier) => ({
  url: specifier.startsWith('node:') ? specifier : `node:${specifier}`,
  format: 'builtin',
  shortCircuit: true,
})

const findFile = (specifier, parentURL, format) => ({
  url: new URL(specifier, parentURL).href,
  format,
  shortCircuit: true,
})

function findPackage(specifier, context, resolveNext) {
  const found = resolved.get(specifier) ?? { ...resolveNext(specifier, context), shortCircuit: true }
  resolved.set(specifier, found)
  return found
}

nodeModule.registerHooks?.({ resolve: resolveQuickly })
