import { useState } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import { parts } from '../parts.ts'
import type { Bindings, Structure } from '../service/wire.ts'
import { usePart } from '../state/part.ts'
import type { Change } from '../state/use-view.ts'
import type { View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'

interface GroupChipProps {
  readonly structure: Structure
  readonly bindings: Bindings | undefined
  readonly failure: TableError | undefined
  readonly groups: View['groups']
  readonly change: Change
}

/** Draws a button that describes the conditions in groups, and the dialog that changes them. */
export const GroupChip = ({ structure, bindings, failure, groups, change }: GroupChipProps) => {
  const words = useWords()
  const { t } = words
  const [isOpen, setIsOpen] = useState(false)
  const asking = usePart(parts.asking, isOpen || groups)
  const menus = usePart(parts.menus, isOpen)
  const dialogs = usePart(parts.dialogs, isOpen)
  const isOn = groups !== undefined
  const text = (isOn && asking?.describeGroups(groups, { structure, bindings, words })) || t.conditions
  const faults = Object.entries(failure?.fields ?? {}).find(([name]) => name.startsWith('filter_groups'))
  const fault = faults?.[1][0]
  const apply = (next: View['groups']) => {
    setIsOpen(false)
    change({ groups: next, page: 1 })
  }
  return (
    <span className={`chip-group${isOn ? ' on' : ''}${fault === undefined ? '' : ' faulty'}`}>
      <button
        type="button"
        className={isOn ? 'chip' : 'button quiet'}
        aria-haspopup="dialog"
        title={isOn ? text : t.conditionsHelp}
        onPointerEnter={parts.asking.load}
        onFocus={parts.asking.load}
        onClick={() => setIsOpen(true)}
      >
        <Icon name="filter" /> <bdi className={isOn ? 'chip-value' : ''}>{text}</bdi>
      </button>
      {isOn && (
        <button
          type="button"
          className="chip clear"
          aria-label={t.remove(t.conditions)}
          onClick={() => apply(undefined)}
        >
          <Icon name="close" />
        </button>
      )}
      {asking && menus && dialogs && (
        <dialogs.Modal title={t.conditions} wide open={isOpen} onClose={() => setIsOpen(false)}>
          <asking.GroupBuilder
            structure={structure}
            bindings={bindings}
            menus={menus}
            groups={groups}
            fault={fault}
            apply={apply}
          />
        </dialogs.Modal>
      )}
    </span>
  )
}
