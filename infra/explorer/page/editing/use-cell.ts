import { useEffect, useRef, useState } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { askEffects } from '../actions/effects.ts'
import type { Plan } from '../actions/plan.ts'
import { nameChange, rowName } from '../actions/row-name.ts'
import { clientIn, runAction, toFailure } from '../service/client.ts'
import { ownPath } from '../service/deployment.ts'
import type { Column, Item, Outcome, Structure } from '../service/wire.ts'
import { takeParams } from '../state/asked-rows.ts'
import { say } from '../state/messages.ts'
import type { View } from '../state/view.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { editingTexts } from './editing-texts.ts'

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

/** Reads a cell as it is now, with the version of its row, and writes it unless the row has changed since. */
export function useCell({ cell, structure, view, close, follow }: EditedCell) {
  const { language, t } = useWords()
  const [item, setItem] = useState<Item>()
  const [failure, setFailure] = useState<TableError>()
  const [conflict, setConflict] = useState<Conflict>()
  const [isRunning, setIsRunning] = useState(false)
  const running = useRef(false)
  const isOpen = useRef(true)
  const { table = '' } = view
  const { id } = cell.item
  const { data_src: field, label } = cell.column
  const params = useRef(view.params)
  const reading = useRef<Promise<Item>>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    reading.current = clientIn(language).refetchRow(table, id, {
      ...takeParams({ params: params.current }),
      include: ['raw', 'version'],
      signal: controller.signal,
    })
    reading.current.then(setItem, (thrown) => !controller.signal.aborted && setFailure(toFailure(thrown)))
    return () => {
      // A value that was sent before the row was read is written also when its editor is closed.
      if (!running.current) controller.abort()
    }
  }, [table, id, language])
  useEffect(
    () => () => {
      isOpen.current = false
    },
    [],
  )
  /** `seen` is the row over which the value was typed; absent if that was the one of the page. */
  const save = async (value: unknown, seen?: Item) => {
    const { editing } = structure
    // A second click while the first is answered must not do it twice.
    if (editing === undefined || reading.current === undefined || running.current) return
    running.current = true
    setIsRunning(true)
    setFailure(undefined)
    const page = askEffects()
    const plan = { title: label, path: '', body: {}, page, rowName: rowName(structure, cell.item) }
    try {
      const read = await reading.current
      if (seen === undefined && JSON.stringify(read[field]) !== JSON.stringify(cell.item[field])) {
        if (isOpen.current) setConflict({ value, current: read, changed: [] })
        else say('danger', `${nameChange(plan)}: ${editingTexts[language].conflict}`)
        return
      }
      const { _version } = seen ?? read
      const body = {
        ...page,
        cells: { [field]: value },
        ...(_version !== undefined && { expected_version: _version }),
      }
      // An item that an action returned has no place in URLs.
      const api = editing.url_template.api.replace('{id}', () => read.row?.path_id ?? '')
      const outcome = await runAction(language, ownPath({ api }), body)
      // Else another cell may be open by now.
      if (isOpen.current) close()
      follow(outcome, plan)
    } catch (thrown) {
      const newFailure = toFailure(thrown)
      const { current, changed } = newFailure.response
      if (!isOpen.current) say('danger', `${nameChange(plan)}: ${failureText(newFailure, t)}`)
      else if (newFailure.code === 'row_version_conflict' && current) {
        setConflict({ value, current: current as Item, changed: (changed ?? []) as readonly OtherChange[] })
      } else setFailure(newFailure)
    } finally {
      running.current = false
      setIsRunning(false)
    }
  }
  return { item, failure, conflict, isRunning, save: (...asked: Parameters<typeof save>) => void save(...asked) }
}
