import type { CellsOutcome } from '../change-outcomes.ts'
import type { AnyTable } from '../table-types.ts'
import { type AnyChanges, type Cells, type EditedTable, findIncluded, gridChanges } from './grid-changes.ts'
import type { GridItem } from './grid-client.ts'

const maxSaved = 1_000

/** The grid may get another object of the same row and version, such as by a live message. */
export const toVersion = (row: GridItem): unknown =>
  row['_version'] === undefined ? row : `${row.id} ${row['_version']}`

/**
 * Creates a function that runs the edits of each row one after the other. `work` gets the result of the edit for which
 * it has waited, if that was made.
 */
export function createRowQueue<Result>() {
  const running = new Map<string, Promise<Result | undefined>>()
  return (row: string, work: (before: Result | undefined) => Promise<Result>): Promise<Result> => {
    const own = Promise.resolve(running.get(row)).then(work)
    const ended: Promise<Result | undefined> = own
      .catch(() => undefined)
      .finally(() => running.get(row) === ended && running.delete(row))
    running.set(row, ended)
    return own
  }
}

/**
 * Writes the edits of a row one after the other. An edit is one of the row as the user's own edits before it have left
 * it, so that only changes of other callers are conflicts.
 */
export function createRowEdits(changes: AnyChanges, table: EditedTable, params: unknown) {
  const run = createRowQueue<unknown>()
  /** Rows as the user's own latest edits have left them, by the versions before. */
  const saved = new Map<unknown, GridItem>()
  const findLatest = (row: GridItem): GridItem => {
    let latest = row
    for (let next = saved.get(toVersion(latest)); next !== undefined; next = saved.get(toVersion(latest))) latest = next
    return latest
  }
  const remember = (before: GridItem, after: GridItem) => {
    // An edit may change nothing.
    if (toVersion(before) === toVersion(after)) return
    // A row may return to an earlier version.
    saved.delete(toVersion(after))
    saved.set(toVersion(before), after)
    if (saved.size > maxSaved) saved.delete(saved.keys().next().value)
  }
  return {
    findLatest,
    /** Runs `work` after that of the earlier edits of the row has ended. */
    run: <T>({ id }: GridItem, work: () => Promise<T>) => run(String(id), work) as Promise<T>,
    /** Writes cells of a row. */
    write: async (row: GridItem, cells: Cells): Promise<CellsOutcome<AnyTable>> => {
      const asked = { include: findIncluded(row), params }
      const outcome = await gridChanges(changes).updateCells(table.tableName, row, cells, asked)
      if (outcome.outcome === 'conflict') saved.delete(toVersion(outcome.current))
      if (outcome.outcome === 'saved' && outcome.row !== undefined) remember(row, outcome.row)
      return outcome
    },
  }
}
