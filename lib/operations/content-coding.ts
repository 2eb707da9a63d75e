import { promisify } from 'node:util'
import { type BrotliOptions, brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import Negotiator from 'negotiator'

/** A compression that the service writes. */
export type ContentCoding = 'br' | 'gzip'

const maxHeaderLength = 1_000

/**
 * Returns the compression that a client likes best, Brotli before gzip where it likes both. `undefined` means none, also for a
 * client that refuses everything.
 */
export function preferredCoding(acceptEncoding: string | undefined): ContentCoding | undefined {
  // Parsing takes milliseconds for thousands of entries.
  if (acceptEncoding === undefined || acceptEncoding.length > maxHeaderLength) return undefined
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const coding = negotiator.encoding(['br', 'gzip', 'identity'], { preferred: ['br', 'gzip'] })
  return coding === 'identity' ? undefined : coding
}

/** From this size on, a thread of the pool compresses, so that other requests of the process go on. */
const minThreadBytes = 262_144

/** Compresses bytes at the level that saves most for its time. */
export async function compress(content: Buffer, coding: ContentCoding): Promise<Buffer> {
  const inThread = content.length >= minThreadBytes
  if (coding === 'br') {
    const options = brotliOptions(content.length)
    return inThread ? compressBrotli(content, options) : brotliCompressSync(content, options)
  }
  return inThread ? compressGzip(content, gzipOptions) : gzipSync(content, gzipOptions)
}

const compressBrotli = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)
const compressGzip = promisify<Buffer, typeof gzipOptions, Buffer>(gzip)

// Level 4 takes twice the time of level 3 for 8 % less.
const gzipOptions = { level: 3 }

/** Quality 2 sees farther than 1: a third less of long pages, for 0.1 ms in 150 KB. Short ones hardly shrink. */
const brotliOptions = (length: number): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: length < 65_536 ? 1 : 2,
    [constants.BROTLI_PARAM_SIZE_HINT]: length,
  },
})
