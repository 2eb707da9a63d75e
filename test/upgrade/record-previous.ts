import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { readArguments } from '../support/run/read-arguments.ts'
import { previousFunctions, recordFile } from './previous-functions.ts'

const usage = `Usage: node infra/node-24.mjs node test/upgrade/record-previous.ts <version> <folder>
Records the functions of a version for the tests of the next one.
  <version>  that version, as infra/CHANGELOG.md names it
  <folder>   .local/bundle of its own checkout, where npm run bundle has bundled them`

const changelog = readFileSync(new URL('../../infra/CHANGELOG.md', import.meta.url), 'utf8')
const [present = '', ...earlier] = [...changelog.matchAll(/^## (\S+)$/gm)].map(([, name = '']) => name)

const { version, folder } = readArguments(usage, { allowPositionals: true }, ({ positionals }) => {
  const [version, folder, ...others] = positionals
  if (version === undefined || folder === undefined || others.length > 0)
    throw new Error('Name one version and one folder')
  if (version === present)
    throw new Error(`${version} is the present version in infra/CHANGELOG.md; name the one before`)
  if (!earlier.includes(version)) throw new Error(`infra/CHANGELOG.md has no version ${version}`)
  const missing = previousFunctions.find((name) => !existsSync(join(folder, name)))
  if (missing !== undefined) throw new Error(`${folder} holds no function ${missing}: run npm run bundle there first`)
  return { version, folder }
})

const files = previousFunctions.flatMap((name) =>
  readdirSync(join(folder, name)).map((file) => [`${name}/${file}`, readFileSync(join(folder, name, file), 'utf8')]),
)
const text = JSON.stringify({ version, files: Object.fromEntries(files) })
const params = {
  [constants.BROTLI_PARAM_QUALITY]: 11,
  // The bundles share most of their code, which a window as large as all of them finds.
  [constants.BROTLI_PARAM_LGWIN]: 24,
}
const compressed = brotliCompressSync(text, { params })
writeFileSync(recordFile, compressed)
console.log(`${files.length} files of version ${version}, ${compressed.length} bytes`)
