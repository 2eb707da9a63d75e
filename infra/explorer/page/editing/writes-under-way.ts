import type { Id } from '../service/wire.ts'

/** A write of a cell from this page that is not answered yet. */
interface Write {
  readonly table: string
  readonly id: Id
  readonly field: string
  /** Resolves to whether it was done. */
  readonly written: Promise<boolean>
}

/** The latest last. */
const writes = new Set<Write>()

export function trackWrite(write: Write): void {
  writes.add(write)
  void write.written.then(() => writes.delete(write))
}

/** Waits for the latest write of a row. Returns its column if it was done. */
export async function awaitWrittenField(table: string, id: Id): Promise<string | undefined> {
  const write = [...writes].findLast((one) => one.table === table && one.id === id)
  return (await write?.written) ? write?.field : undefined
}

export const hasWrites = (): boolean => writes.size > 0

/** Waits for every write. Returns whether all were done. */
export async function awaitWrites(): Promise<boolean> {
  const done = await Promise.all([...writes].map(({ written }) => written))
  return !done.includes(false)
}
