import { open } from 'node:fs/promises'

/** The bytes of a file, or the path of one on disk. */
export type FileContent = Uint8Array | { readonly file: string }

/** S3 takes parts of 5 MiB at least, and 10,000 of them. */
const partBytes = 8 * 1024 * 1024

/** The content in parts of 8 MiB, the last one shorter; nothing for an empty file. A part may be kept, it is not written to again. */
export async function* partsOf(content: FileContent): AsyncGenerator<Uint8Array, undefined> {
  if (content instanceof Uint8Array) {
    for (let at = 0; at < content.byteLength; at += partBytes) yield content.subarray(at, at + partBytes)
    return
  }
  const file = await open(content.file)
  try {
    for (;;) {
      const part = await readPart(file)
      if (part.byteLength > 0) yield part
      if (part.byteLength < partBytes) return
    }
  } finally {
    await file.close()
  }
}

/** One read may return less than the file still has. */
async function readPart(file: Awaited<ReturnType<typeof open>>): Promise<Uint8Array> {
  const part = Buffer.allocUnsafe(partBytes)
  let filled = 0
  while (filled < partBytes) {
    const { bytesRead } = await file.read(part, filled, partBytes - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return part.subarray(0, filled)
}
