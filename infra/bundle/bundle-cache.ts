import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The inputs of the bundles. The lock file stands for the packages. */
const sources = ['functions', 'lib', 'tables', 'infra/bundle', 'infra/explorer', 'package.json', 'package-lock.json']

/** How many states of the sources stay in a cache: each takes about 30 MB. */
const maxStates = 3

/** Returns a hash of the names and the contents of all sources in a project. */
export async function hashSources(project: string): Promise<string> {
  const hash = createHash('sha256')
  for (const source of sources) await addPath(hash, project, source)
  return hash.digest('hex').slice(0, 32)
}

async function addPath(hash: ReturnType<typeof createHash>, project: string, path: string): Promise<void> {
  const absolute = join(project, path)
  if (!(await stat(absolute)).isDirectory()) {
    const content = await readFile(absolute)
    hash.update(`${path}\0${content.length}\0`).update(content)
    return
  }
  for (const name of (await readdir(absolute)).sort()) await addPath(hash, project, join(path, name))
}

/** Keeps bundles for as long as their sources stay the same. */
export interface BundleCache {
  /** Copies a kept bundle into `folder` and returns what was kept with it; `undefined` if there is none. */
  readonly take: (name: string, folder: string) => Promise<unknown>
  /** Keeps the files of `folder`, and `facts` with them. */
  readonly keep: (name: string, folder: string, facts: object) => Promise<void>
}

/**
 * Opens the cache in `directory` for one state of the sources, and removes the states that have not been used for
 * longest.
 */
export async function openBundleCache(directory: string, state: string): Promise<BundleCache> {
  const current = join(directory, state)
  await mkdir(current, { recursive: true })
  await removeOldStates(directory, state)
  return {
    take: async (name, folder) => {
      const kept = join(current, name)
      const facts = await readFile(join(kept, 'facts.json'), 'utf8').catch(() => undefined)
      if (facts === undefined) return undefined
      await rm(folder, { recursive: true, force: true })
      await cp(join(kept, 'files'), folder, { recursive: true })
      return JSON.parse(facts)
    },
    keep: async (name, folder, facts) => {
      const draft = await mkdtemp(join(current, '.draft-'))
      await cp(folder, join(draft, 'files'), { recursive: true })
      await writeFile(join(draft, 'facts.json'), JSON.stringify(facts))
      // Another process may have kept the same one meanwhile.
      await rename(draft, join(current, name)).catch(() => rm(draft, { recursive: true, force: true }))
    },
  }
}

async function removeOldStates(directory: string, current: string): Promise<void> {
  const others = (await readdir(directory)).filter((name) => name !== current)
  const dated = await Promise.all(
    others.map(async (name) => [name, (await stat(join(directory, name))).mtimeMs] as const),
  )
  const old = dated.toSorted(([, one], [, other]) => other - one).slice(maxStates - 1)
  await Promise.all(old.map(([name]) => rm(join(directory, name), { recursive: true, force: true })))
}
