import { useCallback, useEffect, useRef, useState } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { askEffects } from '../actions/effects.ts'
import type { Plan } from '../actions/plan.ts'
import { nameChange, rowName } from '../actions/row-name.ts'
import { clientIn, runAction, toFailure } from '../service/client.ts'
import { ownPath } from '../service/deployment.ts'
import type { Column, Id, Item, Outcome, Structure } from '../service/wire.ts'
import { takeParams } from '../state/asked-rows.ts'
import { say } from '../state/messages.ts'
import { rememberUser } from '../state/session.ts'
import type { View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { editingTexts } from './editing-texts.ts'
import { awaitWrittenField, trackWrite } from './writes-under-way.ts'

/** A value that another user has written into the row meanwhile. */
interface OtherChange {
  readonly field: string
  readonly label: string
  readonly now: unknown
}

export interface Conflict {
  /** The value that was to be written. */
  readonly value: unknown
  readonly current: Item
  readonly changed: readonly OtherChange[]
}

export interface OpenCell {
  readonly item: Item
  readonly column: Column
  /** The pressed button, beside the value. */
  readonly button: HTMLElement
}

export interface EditedCell {
  readonly structure: Structure
  readonly view: View
  readonly cell: OpenCell
  readonly close: () => void
  /** Shows what the service answered. */
  readonly follow: (outcome: Outcome, plan: Plan) => void
}

type Editing = NonNullable<Structure['editing']>

/**
 * Reads a row as it is now. `readRow` returns what has been read, or reads again after a failure; `rewritten` is the
 * column that this page has written just before. What a write needs is read to its end also if the editor is closed.
 */
function useRow(table: string, id: Id, params: View['params'], isNeeded: { readonly current: boolean }) {
  const { language } = useWords()
  const [item, setItem] = useState<Item>()
  const [failure, setFailure] = useState<TableError>()
  const asked = useRef(takeParams({ params }))
  const closing = useRef<AbortController>(undefined)
  const reading = useRef<Promise<Item>>(undefined)
  const rewritten = useRef<string>(undefined)
  const read = useCallback((): Promise<Item> => {
    const signal = closing.current?.signal
    const readAfterWrite = async () => {
      // Else a write of this page would be taken for one of another user.
      rewritten.current = await awaitWrittenField(table, id)
      return clientIn(language).refetchRow(table, id, { ...asked.current, include: ['raw', 'version'], signal })
    }
    setFailure(undefined)
    const started = readAfterWrite()
    reading.current = started
    started.then(setItem, (thrown) => {
      reading.current = undefined
      if (!signal?.aborted) setFailure(toFailure(thrown))
    })
    return started
  }, [table, id, language])
  useEffect(() => {
    const controller = new AbortController()
    closing.current = controller
    void read()
    return () => {
      if (!isNeeded.current) controller.abort()
    }
  }, [read, isNeeded])
  return { item, failure, rewritten, readRow: () => reading.current ?? read() }
}

/** Reads a cell as it is now, with the version of its row, and writes it unless the row has changed since. */
export function useCell({ cell, structure, view, close, follow }: EditedCell) {
  const { language, t } = useWords()
  const [failure, setFailure] = useState<TableError>()
  const [conflict, setConflict] = useState<Conflict>()
  const [isRunning, setIsRunning] = useState(false)
  const running = useRef(false)
  const isOpen = useRef(true)
  const { table = '' } = view
  const { id } = cell.item
  const { data_src: field, label } = cell.column
  const { item, failure: readFailure, rewritten, readRow } = useRow(table, id, view.params, running)
  useEffect(
    () => () => {
      isOpen.current = false
    },
    [],
  )
  /** `seen` is the row over which the value was typed; absent if that was the one of the page. */
  const save = async (editing: Editing, value: unknown, seen?: Item): Promise<boolean> => {
    setIsRunning(true)
    setFailure(undefined)
    const isSameUser = rememberUser()
    const page = askEffects()
    const plan = { title: label, path: '', body: {}, page, rowName: rowName(structure, cell.item) }
    try {
      const row = await readRow()
      const isShown = rewritten.current === field || JSON.stringify(row[field]) === JSON.stringify(cell.item[field])
      if (seen === undefined && !isShown) {
        if (isOpen.current) setConflict({ value, current: row, changed: [] })
        else if (isSameUser()) say('danger', `${nameChange(plan)}: ${editingTexts[language].conflict}`)
        return false
      }
      const { _version } = seen ?? row
      const body = {
        ...page,
        cells: { [field]: value },
        ...(_version !== undefined && { expected_version: _version }),
      }
      // An item that an action returned has no place in URLs.
      const api = editing.url_template.api.replace('{id}', () => row.row?.path_id ?? '')
      const outcome = await runAction(language, ownPath({ api }), body)
      // Else another cell may be open by now.
      if (isOpen.current) close()
      follow(outcome, plan)
      return true
    } catch (thrown) {
      const newFailure = toFailure(thrown)
      const { current, changed } = newFailure.response
      if (!isSameUser()) return false
      if (!isOpen.current) say('danger', `${nameChange(plan)}: ${failureText(newFailure, t)}`)
      else if (newFailure.code === 'row_version_conflict' && current) {
        setConflict({ value, current: current as Item, changed: (changed ?? []) as readonly OtherChange[] })
      } else setFailure(newFailure)
      return false
    } finally {
      running.current = false
      setIsRunning(false)
    }
  }
  const saveOnce = (value: unknown, seen?: Item) => {
    const { editing } = structure
    // A second click while the first is answered must not do it twice.
    if (editing === undefined || running.current) return
    running.current = true
    trackWrite({ table, id, field, written: save(editing, value, seen) })
  }
  return { item, failure: failure ?? readFailure, conflict, isRunning, save: saveOnce }
}
