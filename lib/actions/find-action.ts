import { RequestError } from '../errors/request-error.ts'
import { actionKey } from '../table/action-key.ts'
import { nearNames } from '../table/near-names.ts'

/**
 * Finds the action of a path among those that this caller may see: by its exact key, by the name that its author wrote,
 * else by the slug. Throws `action_not_defined`, with a hint at a similar one of `offered`.
 */
export function findAction<Action extends { readonly key: string; readonly name: string }>(
  actions: readonly Action[],
  asked = '',
  offered = actions,
): Action {
  const slug = actionKey(asked)
  const action =
    actions.find(({ key, name }) => key === asked || name === asked) ?? actions.find(({ key }) => key === slug)
  if (action !== undefined) return action
  const name = asked.slice(0, maxNameLength)
  const [meant] = nearNames(
    slug,
    offered.map(({ key }) => key),
  )
  const hint = {
    en: `There is no action "${name}" here${meant === undefined ? '' : `; use "${meant}"`}`,
    ar: `لا يوجد هنا إجراء باسم "${name}"${meant === undefined ? '' : `؛ استخدم "${meant}"`}`,
  }
  throw new RequestError('action_not_defined', {}, { hint })
}

const maxNameLength = 100
