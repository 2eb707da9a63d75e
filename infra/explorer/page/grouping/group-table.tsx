import type { Structure } from '../service/wire.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { groupColumnName } from './group-columns.ts'
import { groupingTexts } from './grouping-texts.ts'
import type { Measure } from './measure.ts'
import { groupKey, groupName, type ShownGroup } from './use-groups.ts'

interface GroupTableProps {
  readonly groups: readonly ShownGroup[]
  readonly measures: readonly Measure[]
  readonly view: View
  readonly structure: Structure
  readonly isLoading: boolean
  /** Shows the rows of a group. */
  readonly open: (group: ShownGroup) => void
}

/** The groups with their counts and totals; each opens its rows. */
export const GroupTable = ({ groups, measures, view, structure, isLoading, open }: GroupTableProps) => {
  const { language, number } = useWords()
  const texts = groupingTexts[language]
  return (
    <table className="data grouped">
      <caption className="unseen">{`${structure.label}: ${texts.groups}`}</caption>
      <thead>
        <tr>
          {view.groupBy.map((column) => (
            <th key={column.field} scope="col">
              <span className="head">{groupColumnName(structure, column, language)}</span>
            </th>
          ))}
          {measures.map(({ key, name }) => (
            <th key={key} scope="col" className="value-number">
              <span className="head">{name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className={isLoading ? 'fading' : ''}>
        {groups.map((group) => {
          const name = groupName(group, texts.missing)
          return (
            <tr key={groupKey(group)} onClick={() => open(group)}>
              {group.keys.map(({ value, text }, at) => {
                const content = value === null ? <span className="missing">{texts.missing}</span> : <bdi>{text}</bdi>
                const { field } = view.groupBy[at] ?? { field: '' }
                if (at > 0) return <td key={field}>{content}</td>
                return (
                  <th key={field} scope="row">
                    {group.token === null ? (
                      content
                    ) : (
                      <button
                        type="button"
                        className="link opens"
                        aria-label={texts.open(name)}
                        data-group={groupKey(group)}
                      >
                        {content} <Icon name="next" turns />
                      </button>
                    )}
                  </th>
                )
              })}
              {measures.map(({ key, read }) => {
                const { value, text } = read(group)
                return (
                  <td key={key} className="value-number">
                    <bdi className="number">{text ?? number(value ?? 0)}</bdi>
                  </td>
                )
              })}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
