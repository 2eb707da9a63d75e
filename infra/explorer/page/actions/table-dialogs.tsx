import type { Structure } from '../service/wire.ts'
import { ActionDialog } from './action-dialog.tsx'
import { type Details, DetailsDialog } from './details-dialog.tsx'
import type { Actions } from './use-actions.ts'

interface TableDialogsProps {
  readonly structure: Structure
  readonly actions: Actions
  readonly details: Details | undefined
  readonly setDetails: (details: undefined) => void
}

/** The form of an action and the values of a row, while they are open. */
export const TableDialogs = ({ structure: { columns }, actions, details, setDetails }: TableDialogsProps) => (
  <>
    <ActionDialog actions={actions} columns={columns} />
    <DetailsDialog details={details} columns={columns} close={() => setDetails(undefined)} />
  </>
)
