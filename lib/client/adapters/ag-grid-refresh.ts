import type { GridApi } from 'ag-grid-community'

export type RefreshedGrid = Pick<
  GridApi,
  | 'isDestroyed'
  | 'isModuleRegistered'
  | 'getEditingCells'
  | 'addEventListener'
  | 'removeEventListener'
  | 'retryServerSideLoads'
  | 'refreshServerSide'
>

/**
 * Calls `run` once no cell is edited: AG Grid moves the focus to another row when rows move, where the user would go on
 * typing. The returned function ends the waiting.
 */
export function runAfterEdits(grid: RefreshedGrid, run: () => void): () => void {
  const stop = () => grid.removeEventListener('cellEditingStopped', check)
  const check = () => {
    if (isEditing(grid)) return
    stop()
    run()
  }
  grid.addEventListener('cellEditingStopped', check)
  check()
  return stop
}

/** Loads the rows again, also those that could not be loaded before, without removing those on the screen. */
export const refreshAfterEdits = (grid: RefreshedGrid): (() => void) =>
  runAfterEdits(grid, () => {
    if (grid.isDestroyed()) return
    grid.retryServerSideLoads()
    grid.refreshServerSide({ purge: false })
  })

/** Returns whether a cell is edited. A grid whose cells cannot be edited may be without the module. */
export const isEditing = (grid: RefreshedGrid): boolean =>
  // The types name only the modules that contain this one.
  !grid.isDestroyed() && grid.isModuleRegistered('EditCore' as never) && grid.getEditingCells().length > 0
