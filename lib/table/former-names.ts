import { actionKey } from './action-key.ts'
import type { Formerly } from './formerly.ts'
import type { TableView } from './view.ts'

/** A column, filter or action that may have been renamed. */
export interface Renamable {
  readonly key?: string
  readonly name?: string
  readonly pair?: { readonly isFrom: boolean } | undefined
  readonly definition: { readonly formerly?: Formerly }
}

/** A former name as requests have it, the present name, and what the author has said of it. */
export interface PresentName {
  readonly former: string
  readonly name: string
  readonly formerly: Formerly
}

/** Returns the name by which requests have a part. */
export const presentName = ({ key, name = '' }: Renamable): string => key ?? name

/** Returns the name by which requests had a part: of an action its key, of a date filter one for each end. */
export function formerName({ key, name, pair, definition: { formerly } }: Renamable): string | undefined {
  if (formerly === undefined) return undefined
  if (pair !== undefined) return `${formerly.name}_${pair.isFrom ? 'from' : 'to'}`
  // Only actions have both.
  return key === undefined || name === undefined ? formerly.name : actionKey(formerly.name)
}

/** Lists the parts that were renamed. */
export const listRenamed = (parts: readonly Renamable[]): readonly PresentName[] =>
  parts.flatMap((part) => {
    const former = formerName(part)
    const { formerly } = part.definition
    return former === undefined || formerly === undefined ? [] : [{ former, name: presentName(part), formerly }]
  })

/** Finds the action that had a name before; `undefined` for a present name. */
export function findFormerAction({ rowActions, bulkActions }: TableView, asked = ''): PresentName | undefined {
  const actions = [...rowActions, ...bulkActions]
  const keys = new Set([asked, actionKey(asked)])
  if (actions.some(({ key, name }) => keys.has(key) || name === asked)) return undefined
  return listRenamed(actions).find(({ former }) => keys.has(former))
}

/** Returns the present names of columns by their former ones. */
export const presentColumnNames = (columns: readonly Renamable[]): ReadonlyMap<string, string> =>
  new Map(listRenamed(columns).map(({ former, name }) => [former, name]))

/** Returns the cells of a stored change by the present names of their columns. */
export const presentCells = <Cell>(
  names: ReadonlyMap<string, string>,
  cells: Readonly<Record<string, Cell>>,
): Readonly<Record<string, Cell>> =>
  Object.fromEntries(Object.entries(cells).map(([name, cell]) => [names.get(name) ?? name, cell]))
