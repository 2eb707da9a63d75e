import { describeApplied, fieldNames, filterFields } from '../filters/filter-field.ts'
import { describeGroups } from '../groups/describe-groups.ts'
import { clientIn } from '../service/client.ts'
import type { Bindings, Structure } from '../service/wire.ts'
import { nameRows, queryRows } from '../state/asked-rows.ts'
import { session } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { useLoaded } from '../state/use-loaded.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { useWords, type Words } from '../texts/language.tsx'
import { explainTexts } from './explain-texts.ts'

export interface WhyNoneProps {
  readonly view: View
  readonly structure: Structure
  readonly bindings: Bindings | undefined
  readonly change: Change
}

/** Says without which of its restrictions a view would have rows, each with a button that removes it. */
export const WhyNone = (props: WhyNoneProps) => {
  const words = useWords()
  const texts = explainTexts[words.language]
  const { explanation, isSlow } = useExplanation(props.view)
  if (isSlow) return <p>{texts.slow}</p>
  if (explanation === undefined || explanation.total > 0) return null
  const removable = explanation.without
    .filter(({ total }) => total > 0)
    .sort((one, other) => other.total - one.total)
    .flatMap(({ filter, total }) => ({ total, filter, ...readRestriction(filter, props, words) }))
  if (removable.length === 0) return explanation.without.length > 1 ? <p>{texts.together}</p> : null
  return (
    <ul className="reasons">
      {removable.map(({ filter, total, name, without }) => (
        <li key={filter}>
          <span>{texts.without(name, total)}</span>{' '}
          <button
            type="button"
            className="button"
            aria-label={texts.removes(name)}
            onClick={() => props.change({ ...without, page: 1 })}
          >
            {texts.remove}
          </button>
        </li>
      ))}
    </ul>
  )
}

function useExplanation(view: View) {
  const { token } = useStore(session)
  const { table = '', language } = view
  const key = JSON.stringify([token, language, nameRows(view)])
  const body: object = { ...queryRows(view), explain: 'auto', perPage: 1, count: 'none' }
  const { response } = useLoaded(token && key, async (signal) => {
    // The page already says that there are no rows, so a missing explanation is not reported as a failure.
    const read = await clientIn(language)
      .queryTable(table, body, { signal })
      .catch(() => undefined)
    return { key, explain: read?.explain, isSlow: read?.partial?.includes('explain') === true }
  })
  const own = response?.key === key ? response : undefined
  const explain = own?.explain
  return { isSlow: own?.isSlow === true, explanation: explain && 'without' in explain ? explain : undefined }
}

interface Restriction {
  readonly name: string
  /** The view without it, as far as it differs. */
  readonly without: Partial<View>
}

/** Returns the words for a restriction that the service names, and the view without it. */
function readRestriction(name: string, { view, structure, bindings }: WhyNoneProps, words: Words): Restriction {
  const { t, language } = words
  const { filters, groups, search } = view
  switch (name) {
    case 'search':
      return { name: explainTexts[language].search(search), without: { search: '' } }
    case 'filter_groups':
      return {
        name: describeGroups(groups, { structure, bindings, words }) ?? t.conditions,
        without: { groups: undefined },
      }
    case 'group':
      return { name: view.group?.name ?? t.group, without: { group: undefined } }
    default: {
      const applied = filters.filter(({ field }) => field === name)
      const field = filterFields(structure).find((one) => fieldNames(one).includes(name))
      const value = field && describeApplied(field, applied, bindings, words)
      return {
        name: field ? `${field.label}: ${value}` : name,
        without: { filters: filters.filter((one) => !applied.includes(one)) },
      }
    }
  }
}
