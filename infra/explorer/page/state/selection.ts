import { useCallback, useEffect, useState } from 'react'
import type { Id } from '../service/wire.ts'

/** The ticked rows of all pages. With `all`, every row that the filters select except these. */
export interface Selection {
  readonly all: boolean
  readonly ids: ReadonlyMap<string, Id>
}

export const nothing: Selection = { all: false, ids: new Map() }

/** A selection that lasts over pages and sorts, and ends when `rowsName`, the name of the view's rows, changes. */
export function useSelection(rowsName: string): readonly [Selection, (next: Selection) => void] {
  const [kept, setKept] = useState({ rowsName, selection: nothing })
  useEffect(() => {
    setKept((now) => (now.rowsName === rowsName ? now : { rowsName, selection: nothing }))
  }, [rowsName])
  const set = useCallback((selection: Selection) => setKept({ rowsName, selection }), [rowsName])
  return [kept.rowsName === rowsName ? kept.selection : nothing, set]
}

/** Whether rows are ticked one by one. */
export const hasPicked = ({ all, ids }: Selection): boolean => ids.size > 0 && !all

export const isTicked = ({ all, ids }: Selection, id: Id): boolean => all !== ids.has(String(id))

/** The selection with these rows in it, or without them. */
export function withTicked({ all, ids }: Selection, changed: readonly Id[], isOn: boolean): Selection {
  const next = new Map(ids)
  for (const id of changed) {
    if (isOn === all) next.delete(String(id))
    else next.set(String(id), id)
  }
  return { all, ids: next }
}
