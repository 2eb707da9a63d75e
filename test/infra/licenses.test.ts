import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { collectLicenses } from '../../infra/explorer/licenses.ts'

/** A build whose only output has code of one package, which is in `directory`. */
async function buildWith(manifest: object, files: Readonly<Record<string, string>>) {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-licenses-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const folder = join(directory, 'node_modules/@maps/drawn')
  await mkdir(folder, { recursive: true })
  const all = { 'package.json': JSON.stringify({ name: '@maps/drawn', version: '1.0.0', ...manifest }), ...files }
  for (const [name, text] of Object.entries(all)) await writeFile(join(folder, name), text)
  const inputs = {
    'node_modules/@maps/drawn/a.js': { bytesInOutput: 5 },
    'node_modules/@maps/drawn/lib/b.js': { bytesInOutput: 5 },
    'node_modules/removed/index.js': { bytesInOutput: 0 },
    'page/main.tsx': { bytesInOutput: 5 },
  }
  const outputs = { 'explorer.js': { bytes: 15, imports: [], exports: [], inputs } }
  return collectLicenses({ inputs: {}, outputs }, directory)
}

describe('the licences that the explorer delivers', () => {
  it('are those of the packages whose code is in its scripts, each once, with their notices', async () => {
    const text = await buildWith({ license: 'Apache-2.0' }, { LICENSE: 'Terms', NOTICE: 'By us', 'README.md': 'Draw' })
    expect(text).toMatch(
      /^Table Control\n\nMIT License\n[\s\S]*-{80}\n\n@maps\/drawn 1\.0\.0 \(Apache-2\.0\)\n\nTerms\n\nBy us\n$/,
    )
  })

  it.each([
    [{ license: 'GPL-3.0-only' }, { LICENSE: 'Terms' }, 'is licensed under "GPL-3.0-only"'],
    [{}, { LICENSE: 'Terms' }, 'is licensed under "undefined"'],
    [{ license: 'MIT' }, {}, 'has no file with the text of its licence'],
  ])('are checked when it is built: %j with %j', async (manifest, files, reason) => {
    await expect(buildWith(manifest, files)).rejects.toThrow(`the code of @maps/drawn, which ${reason}`)
  })
})

/** Licences of code that functions may contain: whoever runs the service needs to deliver no source of its own. */
const permissive = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense'],
  ...['MIT/X11', '(MIT AND Zlib)', '(MIT OR GPL-3.0-or-later)'],
]

/** Licences of tools that work on the project and that no function contains. */
const ofTools = [
  ...permissive,
  ...['MPL-2.0', 'Python-2.0', 'PSF-2.0', 'MIT OR Apache-2.0', '(MIT OR CC0-1.0)', '(MIT OR EUPL-1.1+)'],
]

/** Packages that were looked at one by one. */
const accepted: Readonly<Record<string, string>> = {
  'node_modules/buffers': 'names no licence; a part of exceljs that no bundle contains asks for it',
  'node_modules/ag-grid-enterprise': 'commercial, as lib/README.md says; only pages of test/browser load it',
  'node_modules/ag-charts-enterprise': 'commercial; a part of the grid above',
}

interface LockedPackage {
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
}

async function listPackages(lock: string): Promise<readonly (readonly [path: string, LockedPackage])[]> {
  const { packages } = JSON.parse(await readFile(resolve(import.meta.dirname, '../..', lock), 'utf8'))
  return Object.entries<LockedPackage>(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  )
}

describe('the licence of each dependency', () => {
  it('is one that was looked at: a new one is added here, or the dependency goes', async () => {
    const unknown = (await listPackages('package-lock.json')).filter(
      ([path, { dev, license = '' }]) => !(path in accepted || (dev ? ofTools : permissive).includes(license)),
    )
    expect(unknown).toEqual([])
  })
})
