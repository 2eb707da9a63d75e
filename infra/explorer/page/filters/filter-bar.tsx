import { useState } from 'react'
import type { TableError } from '../../../../lib/client/index.ts'
import type { Bindings, Rows, Structure } from '../service/wire.ts'
import { isRestricted, unrestricted } from '../state/asked-rows.ts'
import type { Change } from '../state/use-view.ts'
import type { Applied, View } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popup } from '../ui/popup.tsx'
import { FilterChip } from './filter-chip.tsx'
import { type FilterField, fieldNames, filterFields, findApplied } from './filter-field.ts'
import { GroupChip } from './group-chip.tsx'

interface FilterBarProps {
  readonly structure: Structure
  readonly view: View
  readonly bindings: Bindings | undefined
  readonly resolved: Rows['resolved']
  readonly failure: TableError | undefined
  readonly change: Change
}

/** Every filter of the table: those that matter most at hand, the others behind one button until they are used. */
export const FilterBar = ({ structure, view, bindings, resolved, failure, change }: FilterBarProps) => {
  const { t } = useWords()
  const { filters: applied, groups } = view
  const [open, setOpen] = useState<string>()
  const fields = filterFields(structure)
  const isInUse = (field: FilterField) => findApplied(field, applied).length > 0
  const atHand = fields.filter((field) => !field.isAdvanced || isInUse(field) || open === field.name)
  const others = fields.filter((field) => !atHand.includes(field))
  const apply = (field: FilterField, filters: readonly Applied[]) =>
    change({ filters: [...applied.filter((one) => !fieldNames(field).includes(one.field)), ...filters], page: 1 })
  if (fields.length === 0) return null
  return (
    <section className="filters" aria-label={t.filters}>
      {atHand.map((field) => (
        <FilterChip
          key={field.name}
          field={field}
          bindings={bindings}
          view={view}
          applied={findApplied(field, applied)}
          resolved={findResolved(findApplied(field, applied), resolved)}
          fault={findFault(field, failure)}
          open={open === field.name}
          // The next filter may open before this one closes.
          onOpenChange={(next) => setOpen((now) => (next ? field.name : now === field.name ? undefined : now))}
          apply={(filters) => apply(field, filters)}
        />
      ))}
      {others.length > 0 && <OtherFilters others={others} choose={setOpen} />}
      <GroupChip structure={structure} bindings={bindings} failure={failure} groups={groups} change={change} />
      {/* The search box empties itself: a button for it alone would move the rows. */}
      {isRestricted({ ...view, search: '' }) && (
        <button type="button" className="button quiet" onClick={() => change(unrestricted)}>
          {t.clearFilters}
        </button>
      )}
    </section>
  )
}

/** Finds what a period means. Rows of another period may still be there. */
const findResolved = (applied: readonly Applied[], resolved: Rows['resolved']) =>
  resolved?.find((one) =>
    applied.some(({ field, operator, value }) => field === one.field && operator === 'within' && value === one.value),
  )

/** Finds the fault that the service reports for a filter. */
const findFault = (field: FilterField, failure: TableError | undefined): string | undefined =>
  fieldNames(field)
    .flatMap((name) => failure?.fields[`filters.${name}`] ?? failure?.fields[name] ?? [])
    .at(0)

interface OtherFiltersProps {
  readonly others: readonly FilterField[]
  readonly choose: (name: string) => void
}

const OtherFilters = ({ others, choose }: OtherFiltersProps) => {
  const { t } = useWords()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Popup
      title={t.addFilter}
      className="chip add"
      open={isOpen}
      onOpenChange={setIsOpen}
      trigger={
        <>
          <Icon name="plus" /> {t.addFilter}
        </>
      }
    >
      {() => (
        <ul className="options">
          {others.map(({ name, label }) => (
            <li key={name}>
              <button
                type="button"
                className="option"
                onClick={() => {
                  setIsOpen(false)
                  // The chip must be there before it can unfold.
                  setTimeout(() => choose(name))
                }}
              >
                {label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Popup>
  )
}
