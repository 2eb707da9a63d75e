import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import * as z from 'zod'

/** Those that write and read what outlives a deployment: rows, jobs, messages. */
export const previousFunctions = [
  'query-table',
  'row-table-action',
  'bulk-table-action',
  'report-worker',
  'sweep',
] as const

/** The bundles of the version before, as they were deployed. */
export const recordFile: string = fileURLToPath(new URL('previous-functions.br', import.meta.url))

const record = z.object({ version: z.string(), files: z.record(z.string(), z.string()) })

export interface PreviousVersion {
  readonly version: string
  /** The bundle of one of its functions. */
  readonly file: (name: (typeof previousFunctions)[number]) => string
  readonly remove: () => Promise<void>
}

/** Unpacks the functions of the version before into a folder of their own. */
export function unpackPreviousVersion(): PreviousVersion {
  const { version, files } = record.parse(JSON.parse(brotliDecompressSync(readFileSync(recordFile)).toString()))
  const directory = mkdtempSync(join(tmpdir(), 'table-control-previous-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(directory, dirname(path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  return {
    version,
    file: (name) => join(directory, name, 'index.cjs'),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
