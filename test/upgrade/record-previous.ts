import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { previousFunctions, recordFile } from './previous-functions.ts'

/**
 * Records the functions of a version, bundled into a folder by its own checkout, for the tests of the next one:
 * `node test/upgrade/record-previous.ts <version> <folder>`.
 */
const [version, folder] = process.argv.slice(2)
const changelog = readFileSync(new URL('../../infra/CHANGELOG.md', import.meta.url), 'utf8')
const present = /^## (\S+)$/m.exec(changelog)?.[1]
if (version === undefined || folder === undefined) {
  console.error('Usage: record-previous.ts <version> <folder>')
  process.exit(1)
}
if (version === present) {
  console.error(
    `${version} is the present version in infra/CHANGELOG.md; name the one before, and its checkout's folder`,
  )
  process.exit(1)
}

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
