import { useState } from 'react'
import { parts } from '../parts.ts'
import { bulkRowActions, type Pagination } from '../service/wire.ts'
import { usePart } from '../state/part.ts'
import { hasPicked, nothing, type Selection } from '../state/selection.ts'
import { totalText } from '../table/pager.tsx'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import type { BulkListProps } from './bulk-list.tsx'
import type { Plan } from './plan.ts'

interface BulkMenuProps extends Omit<BulkListProps, 'choose' | 'close'> {
  readonly begin: (plan: Plan) => void
  /** An action is being answered. */
  readonly isRunning: boolean
}

/** The actions of the toolbar: on the ticked rows, or on all that the filters select where none is ticked. */
export const BulkMenu = (props: BulkMenuProps) => {
  const words = useWords()
  const { t } = words
  const { structure, selection, pagination } = props
  const scope = hasPicked(selection)
    ? `${t.onSelected} (${words.number(selection.ids.size)})`
    : `${t.onAll} (${pagination ? totalText(pagination, words) : '…'}${selection.all && selection.ids.size > 0 ? `${words.language === 'ar' ? ' ما عدا ' : ' − '}${words.number(selection.ids.size)}` : ''})`
  const [isOpen, setIsOpen] = useState(false)
  const [sent, setSent] = useState(0)
  usePart(parts.dialogs, sent)
  const choose = (plan: Plan) => {
    setIsOpen(false)
    props.begin(plan)
  }
  if (structure.bulkActions.length + bulkRowActions(structure).length === 0 && !structure.editing) return null
  return (
    <Popup
      title={scope}
      align="end"
      className="button"
      open={isOpen}
      onOpenChange={setIsOpen}
      trigger={
        <>
          <span aria-busy={props.isRunning}>{t.bulk}</span> <Icon name="down" />
        </>
      }
    >
      {(menus) => (
        <menus.BulkList
          structure={structure}
          selection={selection}
          pagination={pagination}
          choose={choose}
          view={props.view}
          close={() => {
            setIsOpen(false)
            setSent(sent + 1)
          }}
        />
      )}
    </Popup>
  )
}

interface SelectionNoteProps {
  readonly pagination: Pagination | undefined
  readonly selection: Selection
  readonly onSelection: (selection: Selection) => void
}

/** Shows how many rows are selected, on all pages, and offers to select all that match. */
export const SelectionNote = ({ pagination, selection, onSelection }: SelectionNoteProps) => {
  const words = useWords()
  const { t } = words
  const { all, ids } = selection
  const count = ids.size
  const total = pagination && (all || count > 0) ? totalText(pagination, words) : undefined
  const isShown = pagination !== undefined && total !== undefined
  return (
    <p className={isShown ? 'selection' : 'unseen'}>
      {/* A status that is there before its text is read out. */}
      <strong role="status">{isShown && (all ? t.allSelected(total, count) : t.selected(count))}</strong>
      {isShown && !all && count < pagination.total && (
        <button type="button" className="button quiet" onClick={() => onSelection({ all: true, ids: new Map() })}>
          {t.selectAll(total)}
        </button>
      )}
      {isShown && (
        <button type="button" className="button quiet" onClick={() => onSelection(nothing)}>
          {t.clearSelection}
        </button>
      )}
    </p>
  )
}
