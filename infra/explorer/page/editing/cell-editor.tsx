import { useLayoutEffect, useRef } from 'react'
import * as Popover from '@/popover'
import { Control } from '../actions/form-fields.tsx'
import { fieldKind } from '../actions/form-values.ts'
import { rowName } from '../actions/row-name.ts'
import type { Column, Item } from '../service/wire.ts'
import { failureText } from '../texts/failure-text.ts'
import { useWords } from '../texts/language.tsx'
import { OverlayContext } from '../ui/overlay-context.tsx'
import { closeUnlessPressed, PopupContent, useOnlyPopup } from '../ui/popup-frame.tsx'
import { selectText } from '../ui/select-text.ts'
import { useFault } from '../ui/use-fault.tsx'
import { CellConflict } from './cell-conflict.tsx'
import { editedValue, readCell } from './cell-value.ts'
import { editingTexts } from './editing-texts.ts'
import { useUndoKey } from './undo.ts'
import { type EditedCell, type OpenCell, useCell } from './use-cell.ts'
import { useFirstFocus } from './use-first-focus.ts'

interface CellEditorProps extends Omit<EditedCell, 'cell'> {
  readonly cell: OpenCell | undefined
}

/** Edits one cell where it stands. */
export const CellEditor = ({ cell, close, ...rest }: CellEditorProps) => {
  useUndoKey(rest.view.table ?? '', useWords(), rest.follow)
  useOnlyPopup(cell !== undefined, close)
  return (
    <OverlayContext>
      <Popover.Root open={cell !== undefined} onOpenChange={closeUnlessPressed(cell?.button, close)}>
        {cell && (
          <PopupContent
            title={`${cell.column.label} · ${rowName(rest.structure, cell.item)}`}
            align="start"
            anchor={cell.button}
          >
            <EditedCellView key={`${cell.item.id} ${cell.column.data_src}`} {...rest} cell={cell} close={close} />
          </PopupContent>
        )}
      </Popover.Root>
    </OverlayContext>
  )
}

const EditedCellView = (props: EditedCell) => {
  const { column } = props.cell
  const { language, t } = useWords()
  const state = useCell(props)
  const { item, failure, conflict, isRunning, save } = state
  if (item === undefined && !isTyped(column)) {
    return (
      <p className="help" role={failure ? 'alert' : 'status'}>
        {failure ? failureText(failure, t) : editingTexts[language].opening}
      </p>
    )
  }
  if (conflict === undefined)
    return (
      <CellForm column={column} item={item} failure={failure} isRunning={isRunning} save={save} close={props.close} />
    )
  return (
    <CellConflict
      column={column}
      conflict={conflict}
      failure={failure}
      save={save}
      isRunning={isRunning}
      close={props.close}
      follow={props.follow}
    />
  )
}

/** Whether a cell is edited in a line of text, which takes what is typed while its value is still read. */
const isTyped = ({ editable = {} }: Column): boolean => ['text', 'number', 'list'].includes(fieldKind(editable))

interface CellFormProps extends Pick<ReturnType<typeof useCell>, 'failure' | 'isRunning' | 'save'> {
  readonly column: Column
  /** Absent while it is read. */
  readonly item: Item | undefined
  readonly close: () => void
}

const CellForm = ({ column, item, failure, isRunning, save, close }: CellFormProps) => {
  const { language, t } = useWords()
  const form = useFirstFocus<HTMLFormElement>()
  const { label, data_src: name, editable: schema = {} } = column
  const fault = failure?.fields[`cells.${name}`]?.[0]
  const { state, note } = useFault(failure && (fault ?? failureText(failure, t)))
  /** Whether the value was there before anything was typed over it. */
  const isSeen = useRef(false)
  useLayoutEffect(() => {
    const field = form.current?.querySelector<HTMLInputElement>('input.field')
    isSeen.current = item !== undefined && field?.value === field?.defaultValue
    if (isSeen.current) selectText(field)
  }, [form, item])
  return (
    <form
      className="editor"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        const data = new FormData(event.currentTarget)
        // Enter alone says nothing about a value that is still read.
        if (item === undefined && data.get(`field ${name}`) === '') return
        save(readCell(column, schema, name, data), isSeen.current ? item : undefined)
      }}
      onKeyDown={(event) => {
        // Enter begins a new line in a long text.
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
      }}
    >
      {/* biome-ignore lint/a11y/noLabelWithoutControl: Control is one */}
      <label className="labelled">
        <span className={fieldKind(schema) === 'boolean' ? '' : 'unseen'}>{label}</span>
        <Control
          name={name}
          label={label}
          column={column}
          field={schema}
          value={item && editedValue(column, item)}
          state={{ ...state, 'aria-invalid': fault !== undefined }}
        />
      </label>
      {item === undefined && failure === undefined ? (
        <p className="help" role="status">
          {editingTexts[language].opening}
        </p>
      ) : (
        note
      )}
      <div className="buttons">
        <button type="button" className="button" onClick={close}>
          {t.cancel}
        </button>
        <button type="submit" className="button primary" aria-disabled={isRunning}>
          {editingTexts[language].save}
        </button>
      </div>
    </form>
  )
}
