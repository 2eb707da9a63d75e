import { Readable } from 'node:stream'
import { importError } from '../errors/import-error.ts'
import { RequestError } from '../errors/request-error.ts'

/** Entries of an archive, unpacked within limits. */
export interface Archive {
  readonly names: readonly string[]
  /** Unpacks an entry chunk by chunk. Throws `import_too_large` beyond the limits of the archive. */
  readonly read: (name: string) => AsyncIterable<Uint8Array>
}

const maxEntries = 1_000
const maxUnpackedBytes = 512 * 1_024 * 1_024
/** Files of spreadsheet programs are packed to a tenth, and sheets of equal cells to a fiftieth. */
const maxRatio = 200
/** Below it, no ratio matters. */
const freeBytes = 16 * 1_024 * 1_024

const centralEntry = Buffer.from('PK\x01\x02', 'latin1')

/**
 * Opens an archive. Throws `import_unreadable` for bytes that are no archive, and `import_too_large` for one with too
 * many entries. Reading throws the reason of an aborted `signal`.
 */
export async function openArchive(bytes: Buffer, signal: AbortSignal): Promise<Archive> {
  if (countEntries(bytes) > maxEntries) throw importError('import_too_large', limitText)
  const { default: JSZip } = await import('jszip')
  const zip = await JSZip.loadAsync(bytes).catch((cause) => Promise.reject(unreadable(cause)))
  const most = Math.min(maxUnpackedBytes, Math.max(freeBytes, bytes.length * maxRatio))
  let unpacked = 0
  async function* read(name: string): AsyncGenerator<Uint8Array> {
    const entry = zip.file(name)
    if (entry === null) throw unreadable(undefined)
    const stream = new Readable().wrap(entry.nodeStream('nodebuffer'))
    try {
      for await (const chunk of stream) {
        signal.throwIfAborted()
        unpacked += (chunk as Uint8Array).byteLength
        if (unpacked > most) throw importError('import_too_large', limitText)
        yield chunk as Uint8Array
      }
    } catch (cause) {
      throw cause instanceof RequestError || signal.aborted ? cause : unreadable(cause)
    } finally {
      stream.destroy()
    }
  }
  return { names: Object.keys(zip.files), read }
}

const limitText = {
  en: '512 MB when unpacked, 200 times its size, or 1,000 parts',
  ar: '512 ميغابايت بعد فك الضغط، أو 200 ضعف حجمه، أو 1,000 جزء',
}

/** The directory of an archive says how many entries it has, and may lie. */
function countEntries(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(centralEntry); at >= 0 && count <= maxEntries; at = bytes.indexOf(centralEntry, at + 4))
    count += 1
  return count
}

/** Creates the error of a file that is no workbook. */
export const unreadable = (cause: unknown): RequestError => importError('import_unreadable', {}, cause)
