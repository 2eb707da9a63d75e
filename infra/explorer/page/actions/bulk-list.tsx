import { useState } from 'react'
import { SendBack } from '../imports/send-back.tsx'
import { ownPath } from '../service/deployment.ts'
import { type BulkAction, bulkRowActions, type Pagination, type RowAction, type Structure } from '../service/wire.ts'
import { queryRows, selectRows } from '../state/asked-rows.ts'
import { hasPicked, type Selection } from '../state/selection.ts'
import type { View } from '../state/view.ts'
import { isShown, valueColumns } from '../table/use-grid.ts'
import { useWords } from '../texts/language.tsx'
import { askEffects, mayTake } from './effects.ts'
import type { Plan } from './plan.ts'

const tickTexts = {
  en: 'Greyed actions work on rows that are ticked one by one.',
  ar: 'الإجراءات الباهتة تتطلب تحديد الصفوف صفًا صفًا.',
}

export interface BulkListProps {
  readonly structure: Structure
  readonly view: View
  readonly pagination: Pagination | undefined
  readonly selection: Selection
  readonly choose: (plan: Plan) => void
  readonly close: () => void
}

/** The actions on several rows: those on the ticked ones, and those on all that match. */
export const BulkList = (props: BulkListProps) => {
  const { language } = useWords()
  const { structure, selection, choose } = props
  const isPicked = hasPicked(selection)
  const rowActions = bulkRowActions(structure)
  const [isRoundTrip, setIsRoundTrip] = useState(false)
  const canRoundTrip = structure.bulkActions.some((action) => action.round_trip)
  return (
    <>
      <ul className="options">
        {rowActions.map((action) => (
          <Entry
            key={`row ${action.action_key}`}
            label={action.label}
            isOff={!isPicked}
            choose={() => choose(rowBulkPlan(action, props))}
          />
        ))}
        {structure.bulkActions.map((action) => (
          <Entry
            key={action.action_key}
            label={action.label}
            choose={() => choose(bulkPlan(action, props, isRoundTrip))}
          />
        ))}
      </ul>
      {structure.editing !== undefined && (
        <SendBack isOn={canRoundTrip ? isRoundTrip : undefined} change={setIsRoundTrip} close={props.close} />
      )}
      {rowActions.length > 0 && !isPicked && <p className="help">{tickTexts[language]}</p>}
    </>
  )
}

interface EntryProps {
  readonly label: string
  readonly choose: () => void
  /** Whether the entry is shown but cannot be chosen now. */
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

/** An action whose form takes the keys of plans would run in place of being planned. */
const hasPlan = ({ form }: BulkAction | RowAction) => !mayTake(form, ['plan', 'plan_id'])

function rowBulkPlan(action: RowAction, { selection }: BulkListProps): Plan {
  const ids = [...selection.ids.values()]
  return {
    title: action.label,
    path: ownPath(action.bulk_actions_url ?? action.action),
    body: { selected_ids: ids },
    question: confirmationText(action),
    concerns: ids.length,
    canForesee: hasPlan(action),
    // The effects of an action do not name other rows that its code has changed.
    page: action.onBulkSuccess === 'reload' ? undefined : askEffects(action.form),
    ...(action.form && { form: action.form }),
  }
}

/** A file is fetched at once; anything else says first how many rows it concerns. */
function bulkPlan(
  action: BulkAction,
  { structure, selection, view, pagination }: BulkListProps,
  isRoundTrip: boolean,
): Plan {
  const isPicked = hasPicked(selection)
  const isKnown = isPicked || pagination?.total_kind === 'exact'
  const ids = [...selection.ids.values()]
  const count = isPicked ? ids.length : (pagination?.total ?? 0) - ids.length
  const { sorts } = view
  const columns = valueColumns(structure.columns).filter((column) => isShown(column, view.columns))
  const isFile =
    action.action_response === 'instant' && action.onSuccess === 'downloadData' && !action.need_confirmation
  const { onSuccess } = action
  // The effects on all rows are more than a page.
  const hasEffects = isPicked && action.action_response === 'instant' && onSuccess !== 'downloadData'
  const page = hasEffects && onSuccess !== 'reload' ? askEffects(action.form) : undefined
  return {
    title: action.label,
    path: ownPath(action.action),
    body: {
      ...(isPicked ? { selected_ids: ids } : selectRows(view)),
      ...(!isPicked && ids.length > 0 && { select_all: true, excluded_ids: ids }),
      ...(sorts.length > 0 && { sorts }),
      ...(page === undefined && { columns: columns.map(({ data_src: name }) => name) }),
      ...(isRoundTrip && action.round_trip && { round_trip: true }),
      ...(isKnown && !isFile && { expected_count: count }),
    },
    ...(!isFile && {
      question: confirmationText(action),
      concerns: count,
      counts: isKnown ? undefined : { table: view.table ?? '', query: queryRows(view), without: ids.length },
    }),
    page,
    ...(action.form && { form: action.form }),
    asksEmails: action.payload_keys.includes('emails'),
    canForesee: !isFile && !action.payload_keys.includes('emails') && hasPlan(action),
  }
}
