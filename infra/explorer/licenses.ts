import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Metafile } from 'esbuild'

/** The licences under which the page may deliver code: they ask for their text and for nothing else of ours. */
const deliverable: ReadonlySet<string> = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'])

const separator = `\n\n${'-'.repeat(80)}\n\n`

/**
 * Returns the licence of the project and those of the packages whose code is in the outputs, as one text. Throws for a
 * package that the page may not deliver, or whose text is missing. Inputs are relative to `directory`.
 */
export async function collectLicenses({ outputs }: Metafile, directory: string): Promise<string> {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const used = inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []))
  const folders = new Set(used.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
  const own = await readFile(resolve(import.meta.dirname, '../../LICENSE'), 'utf8')
  const notices = await Promise.all([...folders].sort().map((folder) => readNotice(resolve(directory, folder))))
  return `${[`Table Control\n\n${own.trim()}`, ...notices].join(separator)}\n`
}

async function readNotice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(resolve(folder, 'package.json'), 'utf8'))
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice)\b/i.test(file)).sort()
  if (!deliverable.has(license) || files.length === 0) {
    const reason = files.length === 0 ? 'has no file with the text of its licence' : `is licensed under "${license}"`
    throw new Error(`The explorer cannot deliver the code of ${name}, which ${reason}: see infra/explorer/licenses.ts`)
  }
  const texts = await Promise.all(files.map((file) => readFile(resolve(folder, file), 'utf8')))
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n')
}
