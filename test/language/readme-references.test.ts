import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, matchesGlob, resolve } from 'node:path'
import { expect, it } from 'vitest'

const project = resolve(import.meta.dirname, '../..')
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: project, encoding: 'utf8' }).trim().split('\n')

/** Files that a reader makes by following a page. */
const examples = new Set(['test/tables/orders.test.ts', 'tables/orders.ts'])

const sourcePath = /`((?:functions|infra|lib|tables|test)\/[\w./-]+\.(?:mjs|tsx?))`/g

const map = readFileSync(join(project, 'lib/README.md'), 'utf8')
const places = [...map.matchAll(/`(\w+)`(?: \(| in )`([\w/-]+\.ts)`/g)].map(([, name = '', file = '']) => [name, file])

it.each(places)('lib/README.md places %s in its file, lib/%s', (name, file) => {
  const text = readFileSync(join(project, 'lib', file), 'utf8')
  expect(text).toMatch(new RegExp(`\\b(function|const|readonly) ${name}\\b`))
})

it.each(pages)('%s names only source files that exist', (page) => {
  const named = [...readFileSync(join(project, page), 'utf8').matchAll(sourcePath)].map(([, path = '']) => path)
  expect(named.filter((path) => !examples.has(path) && !existsSync(join(project, path)))).toEqual([])
})

it('lib/README.md gives a reason for each package of package.json, and for no other', () => {
  const [, section = ''] = /\n## Dependencies\n(.*?)\n## /s.exec(map) ?? []
  const packages = ['package.json', 'test/typescript-5/package.json'].flatMap((file) => {
    const listed = JSON.parse(readFileSync(join(project, file), 'utf8'))
    return Object.keys({ ...listed.dependencies, ...listed.devDependencies, ...listed.optionalDependencies })
  })
  const listNames = (text: string) => [...text.matchAll(/`([@\w][\w./*-]*)`/g)].map(([, name = '']) => name)
  const rows = [...section.matchAll(/^\| ([^|]*`[^|]*)\|/gm)].flatMap(([, cell = '']) => listNames(cell))
  const explained = listNames(section)
  expect(packages.filter((name) => !explained.some((pattern) => matchesGlob(name, pattern)))).toEqual([])
  expect(rows.filter((pattern) => !packages.some((name) => matchesGlob(name, pattern)))).toEqual([])
})
