import type { Structure } from '../service/wire.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { groupColumnName } from './group-columns.ts'
import { groupingTexts } from './grouping-texts.ts'

interface OpenGroupNoteProps {
  readonly view: View
  readonly structure: Structure
  readonly change: Change
}

/** Says which group the rows are of, and leads back to the groups. */
export const OpenGroupNote = ({ view, structure, change }: OpenGroupNoteProps) => {
  const { language } = useWords()
  const texts = groupingTexts[language]
  const columns = view.groupBy.map((column) => groupColumnName(structure, column, language)).join(' · ')
  return (
    <div className="selection">
      <button type="button" className="button quiet" onClick={() => change({ group: undefined, page: 1 })}>
        <span className="back">
          <Icon name="next" turns />
        </span>
        {texts.back}
      </button>
      <p>
        <span className="muted">{columns || texts.opened}:</span> <bdi>{view.group?.name}</bdi>
      </p>
    </div>
  )
}
