import { RequestError } from '../errors/request-error.ts'
import { actionKey } from '../table/action-key.ts'

/**
 * The action that a path names, among those that this caller may know of: by its exact key, by the name that its author
 * wrote, else by the slug. Throws `action_not_defined`.
 */
export function findAction<Action extends { readonly key: string; readonly name: string }>(
  actions: readonly Action[],
  asked = '',
): Action {
  const slug = actionKey(asked)
  const action =
    actions.find(({ key, name }) => key === asked || name === asked) ?? actions.find(({ key }) => key === slug)
  if (action === undefined) throw new RequestError('action_not_defined')
  return action
}
