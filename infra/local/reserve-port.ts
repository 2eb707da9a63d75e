import { join } from 'node:path'
import { freePort, isFreePort } from './free-port.ts'
import { readOrCreate, writePrivateFile } from './local-directory.ts'

/**
 * Returns the port that `name` had at the last start on this directory, or a free one when it is taken. Pages that were opened
 * before a restart reach the new process by it: their policy names the port.
 */
export async function reservePort(directory: string, name: string): Promise<number> {
  const file = join(directory, `${name}.port`)
  const first = await freePort()
  const kept = Number(readOrCreate(file, () => String(first)))
  if (isPort(kept) && (await isFreePort(kept))) return kept
  writePrivateFile(file, String(first))
  return first
}

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535
