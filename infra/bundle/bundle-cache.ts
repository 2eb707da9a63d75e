import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '../local/lock-file.ts'

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
  /**
   * Copies a kept bundle into `folder`, or makes it there and keeps it. Returns what `make` has returned. Of several
   * processes that need it, the first makes it.
   */
  readonly find: <Facts>(name: string, folder: string, make: () => Promise<Facts>) => Promise<Facts>
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
    find: async (name, folder, make) => {
      const kept = join(current, name)
      const unlock = await lockFile(`${kept}.lock`)
      try {
        return (await takeBundle(kept, folder)) ?? (await keepBundle(kept, folder, await make()))
      } finally {
        unlock()
      }
    },
  }
}

async function takeBundle(kept: string, folder: string) {
  const facts = await readFile(join(kept, 'facts.json'), 'utf8').catch(() => undefined)
  if (facts === undefined) return undefined
  await rm(folder, { recursive: true, force: true })
  await cp(join(kept, 'files'), folder, { recursive: true })
  return JSON.parse(facts)
}

async function keepBundle<Facts>(kept: string, folder: string, facts: Facts): Promise<Facts> {
  const draft = await mkdtemp(`${kept}.draft-`)
  await cp(folder, join(draft, 'files'), { recursive: true })
  await writeFile(join(draft, 'facts.json'), JSON.stringify(facts))
  await rename(draft, kept)
  return facts
}

async function removeOldStates(directory: string, current: string): Promise<void> {
  const others = (await readdir(directory)).filter((name) => name !== current)
  const dated = await Promise.all(
    others.map(async (name) => [name, (await stat(join(directory, name))).mtimeMs] as const),
  )
  const old = dated.toSorted(([, one], [, other]) => other - one).slice(maxStates - 1)
  await Promise.all(old.map(([name]) => rm(join(directory, name), { recursive: true, force: true })))
}
