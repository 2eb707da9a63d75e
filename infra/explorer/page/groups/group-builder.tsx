import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { EntryFault } from '../filters/entry-fault.ts'
import { type FilterField, filterFields } from '../filters/filter-field.ts'
import type { Bindings, Structure } from '../service/wire.ts'
import { useWords } from '../texts/language.tsx'
import { createGroup, type Group, listConditions, maxConditions, putCondition, readGroup, writeGroup } from './group.ts'
import { GroupCard } from './group-card.tsx'
import { groupTexts } from './group-texts.ts'
import { beginCondition, type Faults, type FieldMenus, readCondition } from './read-condition.ts'

interface GroupBuilderProps {
  readonly structure: Structure
  readonly bindings: Bindings | undefined
  readonly menus: FieldMenus
  readonly groups: Readonly<Record<string, unknown>> | undefined
  /** The objection of the service to the groups. */
  readonly fault: string | undefined
  /** Applies groups and closes; `undefined` removes them. */
  readonly apply: (groups: Readonly<Record<string, unknown>> | undefined) => void
}

/** Cards of conditions, of which all, one or none must hold; cards may hold cards. */
export const GroupBuilder = ({ structure, bindings, menus, groups, fault, apply }: GroupBuilderProps) => {
  const words = useWords()
  const texts = groupTexts[words.language]
  const fields = filterFields(structure)
  const [group, setGroup] = useState(() => readGroup(groups, structure) ?? createGroup('any', beginConditions(fields)))
  const [faults, setFaults] = useState<Faults>(new Map())
  const own = useRef<HTMLFormElement>(null)
  const enter = (form: FormData) => {
    const read = readAll(group, { form, fields, bindings, menus, words })
    // Drawn at once: the focus goes to a fault before another key can move it.
    flushSync(() => setFaults(read.faults))
    if (read.faults.size === 0) return apply(writeGroup(read.group))
    const find = (what: string) => own.current?.querySelector<HTMLElement>(`.condition.faulty ${what}`)
    ;(find('[aria-invalid=true]') ?? find('.field'))?.focus()
  }
  return (
    <form
      className="editor"
      ref={own}
      onSubmit={(event) => {
        event.preventDefault()
        enter(new FormData(event.currentTarget))
      }}
    >
      <p className="help">{texts.help}</p>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <GroupCard
        group={group}
        fields={fields}
        bindings={bindings}
        menus={menus}
        faults={faults}
        depth={1}
        canAdd={listConditions(group).length < maxConditions}
        put={setGroup}
      />
      <div className="buttons">
        {groups !== undefined && (
          <button type="button" className="button" onClick={() => apply(undefined)}>
            {words.t.clear}
          </button>
        )}
        <button type="submit" className="button primary">
          {words.t.apply}
        </button>
      </div>
    </form>
  )
}

const beginConditions = (fields: readonly FilterField[]) => fields.slice(0, 1).map(beginCondition)

type Reading = Parameters<typeof readCondition>[1]

function readAll(group: Group, reading: Reading): { readonly group: Group; readonly faults: Faults } {
  const faults = new Map<number, EntryFault>()
  let next = group
  for (const condition of listConditions(group)) {
    const read = readCondition(condition, reading)
    if ('text' in read) faults.set(condition.key, read)
    else next = putCondition(next, read)
  }
  return { group: next, faults }
}
