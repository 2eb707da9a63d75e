import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bundleFunctions } from '../../infra/bundle/bundle.ts'
import { hashSources, openBundleCache } from '../../infra/bundle/bundle-cache.ts'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'table-control-bundle-cache-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A project with a file in each place that bundles are made of. */
function createProject(): string {
  const project = createFolder()
  for (const folder of ['functions', 'lib/deep', 'tables', 'infra/bundle', 'infra/explorer', 'test'])
    mkdirSync(join(project, folder), { recursive: true })
  for (const file of ['lib/deep/one.ts', 'functions/two.ts', 'package.json', 'package-lock.json'])
    writeFileSync(join(project, file), 'before')
  return project
}

it.each<[string, (project: string) => void]>([
  ['a source changes', (project) => writeFileSync(join(project, 'lib/deep/one.ts'), 'after!')],
  ['a source is added', (project) => writeFileSync(join(project, 'tables/three.ts'), '')],
  ['a source is removed', (project) => rmSync(join(project, 'functions/two.ts'))],
  [
    'a source is renamed',
    (project) => renameSync(join(project, 'functions/two.ts'), join(project, 'functions/three.ts')),
  ],
  ['a package changes', (project) => writeFileSync(join(project, 'package-lock.json'), 'after!')],
])('functions are bundled anew when %s', async (_, change) => {
  const project = createProject()
  const before = await hashSources(project)
  expect(await hashSources(project)).toBe(before)
  change(project)
  expect(await hashSources(project)).not.toBe(before)
})

it('functions are not bundled anew when a test changes', async () => {
  const project = createProject()
  const before = await hashSources(project)
  writeFileSync(join(project, 'test/one.test.ts'), '')
  expect(await hashSources(project)).toBe(before)
})

it('a bundle is copied from the cache with its facts, and what was in its folder is gone', async () => {
  const outdir = createFolder()
  const cacheDirectory = createFolder()
  const bundle = () => bundleFunctions({ outdir, cacheDirectory, functions: ['route-not-found'] })
  const [made] = await bundle()
  const file = made?.file ?? ''
  const files = readdirSync(dirname(file))
  const [state = ''] = readdirSync(cacheDirectory)
  writeFileSync(join(cacheDirectory, state, 'route-not-found/files/index.cjs'), 'from the cache')
  writeFileSync(join(dirname(file), 'left-over.cjs'), '')

  expect(await bundle()).toEqual([made])
  expect(readFileSync(file, 'utf8')).toBe('from the cache')
  expect(readdirSync(dirname(file))).toEqual(files)
})

it('a cache keeps the three states that were used last', async () => {
  const directory = createFolder()
  for (const [seconds, state] of ['one', 'two', 'three', 'four'].entries()) {
    await openBundleCache(directory, state)
    utimesSync(join(directory, state), seconds, seconds)
  }
  expect(readdirSync(directory).sort()).toEqual(['four', 'three', 'two'])
})
