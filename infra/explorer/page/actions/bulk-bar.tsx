import { useState } from 'react'
import { ownPath } from '../service/deployment.ts'
import type { BulkAction, Pagination, RowAction, Structure } from '../service/wire.ts'
import { nothing, type Selection } from '../state/selection.ts'
import type { View } from '../state/view.ts'
import { totalText } from '../table/pager.tsx'
import { isShown, valueColumns } from '../table/use-grid.ts'
import { useWords, type Words } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import type { Plan } from './plan.ts'

interface BulkProps {
  readonly structure: Structure
  readonly view: View
  readonly pagination: Pagination | undefined
  readonly selection: Selection
  readonly begin: (plan: Plan) => void
  /** An action is being answered. */
  readonly isRunning: boolean
}

/** The actions of the toolbar: on the ticked rows, or on all that the filters select where none is ticked. */
export const BulkMenu = (props: BulkProps) => {
  const words = useWords()
  const { t } = words
  const { structure, selection, pagination } = props
  const isPicked = selection.ids.size > 0 && !selection.all
  const scope = isPicked
    ? `${t.onSelected} (${words.number(selection.ids.size)})`
    : `${t.onAll} (${pagination ? totalText(pagination, words) : '…'})`
  const rowActions = Object.values(structure.rowActions).filter(
    (one): one is RowAction => one?.applicableAsBulkAction === true,
  )
  const [isOpen, setIsOpen] = useState(false)
  const choose = (plan: Plan) => {
    setIsOpen(false)
    props.begin(plan)
  }
  if (structure.bulkActions.length + rowActions.length === 0) return null
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
      <ul className="options">
        {rowActions.map((action) => (
          <Entry
            key={`row ${action.action_key}`}
            label={action.label}
            isOff={!isPicked}
            choose={() => choose(rowBulkPlan(action, props, words))}
          />
        ))}
        {structure.bulkActions.map((action) => (
          <Entry key={action.action_key} label={action.label} choose={() => choose(bulkPlan(action, props, words))} />
        ))}
      </ul>
      {rowActions.length > 0 && !isPicked && <p className="help">{t.onlyTicked}</p>}
    </Popup>
  )
}

interface EntryProps {
  readonly label: string
  readonly choose: () => void
  /** Shown, so that nobody looks for it, but not to be chosen now. */
  readonly isOff?: boolean
}

const Entry = ({ label, choose, isOff = false }: EntryProps) => (
  <li>
    <button type="button" className="option" aria-disabled={isOff} onClick={() => !isOff && choose()}>
      {label}
    </button>
  </li>
)

const confirmationText = ({ need_confirmation: isAsked, confirmation }: BulkAction | RowAction) =>
  (isAsked && confirmation) || ''

function rowBulkPlan(action: RowAction, { selection }: BulkProps, words: Words): Plan {
  const ids = [...selection.ids.values()]
  return {
    title: action.label,
    path: ownPath(action.bulk_actions_url ?? action.action),
    body: { selected_ids: ids },
    question: confirmationText(action),
    concerns: words.t.result(ids.length),
    ...(action.form && { form: action.form }),
  }
}

/** A file is fetched at once; anything else says first how many rows it concerns. */
function bulkPlan(action: BulkAction, { structure, selection, view, pagination }: BulkProps, words: Words): Plan {
  const isPicked = selection.ids.size > 0 && !selection.all
  const isKnown = isPicked || (pagination?.total_kind ?? 'exact') === 'exact'
  const count = isPicked ? selection.ids.size : (pagination?.total ?? 0)
  const { filters, sorts } = view
  const columns = valueColumns(structure.columns).filter((column) => isShown(column, view.columns))
  const isFile =
    action.action_response === 'instant' && action.onSuccess === 'downloadData' && !action.need_confirmation
  return {
    title: action.label,
    path: ownPath(action.action),
    body: {
      ...(isPicked ? { selected_ids: [...selection.ids.values()] } : { filters }),
      ...(sorts.length > 0 && { sorts }),
      columns: columns.map(({ data_src: name }) => name),
      ...(isKnown && !isFile && { expected_count: count }),
    },
    ...(!isFile && {
      question: confirmationText(action),
      concerns: words.t.result(count),
      counts: !isKnown,
    }),
    ...(action.form && { form: action.form }),
    asksEmails: action.payload_keys.includes('emails'),
  }
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
  const count = selection.ids.size
  if (pagination === undefined || (count === 0 && !selection.all)) return null
  const total = totalText(pagination, words)
  return (
    <p className="selection">
      <strong role="status">{selection.all ? t.allSelected(total) : t.selected(count)}</strong>
      {!selection.all && count < pagination.total && (
        <button type="button" className="button quiet" onClick={() => onSelection({ all: true, ids: new Map() })}>
          {t.selectAll(total)}
        </button>
      )}
      <button type="button" className="button quiet" onClick={() => onSelection(nothing)}>
        {t.clearSelection}
      </button>
    </p>
  )
}
