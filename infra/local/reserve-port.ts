import { createServer } from 'node:net'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { writePrivateFile } from './local-directory.ts'
import { tryReadFile } from './try-read-file.ts'

/** A port that no other process can take before its owner listens on it. */
export interface ReservedPort {
  readonly port: number
  /** Makes room for the owner's server. May be called again. */
  readonly release: () => Promise<void>
}

/**
 * Reserves the port that `name` had at the last start on this directory, or a free one when it is taken. Pages that
 * were opened before a restart reach the new process by it: their policy names the port.
 */
export async function reservePort(directory: string, name: string): Promise<ReservedPort> {
  const file = join(directory, `${name}.port`)
  const last = readPort(file)
  const kept = last === undefined ? undefined : await holdPort(last)
  if (kept !== undefined) return kept
  for (;;) {
    const reserved = await holdPort(await freePort())
    if (reserved === undefined) continue
    writePrivateFile(file, String(reserved.port))
    return reserved
  }
}

/** Returns undefined for a file that is missing or holds no port. */
function readPort(file: string): number | undefined {
  const port = Number(tryReadFile(file))
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : undefined
}

/** Listens on a port and ends each connection. Returns undefined if the port is taken. */
const holdPort = (port: number): Promise<ReservedPort | undefined> =>
  new Promise((resolve) => {
    const holder = createServer((connection) => connection.destroy())
    const release = () => new Promise<void>((released) => holder.close(() => released()))
    holder.once('error', () => resolve(undefined))
    holder.listen(port, '127.0.0.1', () => resolve({ port, release }))
  })
