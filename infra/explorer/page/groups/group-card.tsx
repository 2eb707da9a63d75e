import { useEffect, useRef, useState } from 'react'
import type { FilterField } from '../filters/filter-field.ts'
import type { Bindings } from '../service/wire.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { ConditionLine } from './condition-line.tsx'
import { createGroup, type Group, type GroupKind, groupKinds, isGroup, maxDepth, type Part } from './group.ts'
import { groupTexts } from './group-texts.ts'
import { beginCondition, type Faults, type FieldMenus } from './read-condition.ts'

interface GroupCardProps {
  readonly group: Group
  readonly depth: number
  readonly fields: readonly FilterField[]
  readonly bindings: Bindings | undefined
  readonly menus: FieldMenus
  readonly faults: Faults
  readonly canAdd: boolean
  readonly put: (group: Group) => void
  /** Only a card in another one can be removed. */
  readonly remove?: () => void
}

/** A card: which of its conditions must hold, the conditions, and the cards in it. */
export const GroupCard = ({ group, depth, canAdd, put, remove, ...common }: GroupCardProps) => {
  const { t, language } = useWords()
  const texts = groupTexts[language]
  const { fields } = common
  const [first] = fields
  const putParts = (parts: readonly Part[]) => put({ ...group, parts })
  const putPart = (at: number, part: Part) => putParts(group.parts.map((one, place) => (place === at ? part : one)))
  const removePart = (at: number) => putParts(group.parts.filter((_, place) => place !== at))
  const [own, setAdded] = useAddedFocus()
  const add = (part: Part) => {
    putParts([...group.parts, part])
    setAdded(part.key)
  }
  return (
    <fieldset className="group-card" ref={own}>
      <legend className="unseen">{texts.kinds[group.kind]}</legend>
      <div className="group-head">
        <select
          className="field grow"
          aria-label={texts.kind}
          value={group.kind}
          onChange={({ target }) => put({ ...group, kind: target.value as GroupKind })}
        >
          {groupKinds.map((kind) => (
            <option key={kind} value={kind}>
              {texts.kinds[kind]}
            </option>
          ))}
        </select>
        {remove && (
          <button
            type="button"
            className="button quiet square"
            aria-label={t.remove(texts.group)}
            title={t.remove(texts.group)}
            onClick={remove}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {group.parts.map((part, at) => (
        <div key={part.key} className="group-part">
          {at > 0 && <small className="group-join">{texts.joins[group.kind]}</small>}
          {isGroup(part) ? (
            <GroupCard
              {...common}
              canAdd={canAdd}
              group={part}
              depth={depth + 1}
              put={(next) => putPart(at, next)}
              remove={() => removePart(at)}
            />
          ) : (
            <ConditionLine
              {...common}
              condition={part}
              put={(next) => putPart(at, next)}
              remove={() => removePart(at)}
            />
          )}
        </div>
      ))}
      {canAdd && first !== undefined && (
        <div className="buttons start">
          <button type="button" className="button" onClick={() => add(beginCondition(first))}>
            <Icon name="plus" /> {texts.addCondition}
          </button>
          {depth < maxDepth && (
            <button
              type="button"
              className="button quiet"
              onClick={() => add(createGroup('all', [beginCondition(first)]))}
            >
              <Icon name="plus" /> {texts.addGroup}
            </button>
          )}
        </div>
      )}
    </fieldset>
  )
}

/** Moves the focus to the first field of the last part of a card when that was added: it stands before the button. */
function useAddedFocus() {
  const own = useRef<HTMLFieldSetElement>(null)
  const [added, setAdded] = useState<number>()
  useEffect(() => {
    const parts = added === undefined ? [] : [...(own.current?.querySelectorAll(':scope > .group-part') ?? [])]
    parts.at(-1)?.querySelector('select')?.focus()
  }, [added])
  return [own, setAdded] as const
}
