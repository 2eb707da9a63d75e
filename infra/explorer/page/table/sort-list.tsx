import type { Structure } from '../service/wire.ts'
import type { Change } from '../state/use-view.ts'
import type { Sort } from '../state/view.ts'
import { useWords } from '../texts/language.tsx'
import { Icon } from '../ui/icon.tsx'
import { columnLabel } from './use-grid.ts'

export interface SortListProps {
  readonly structure: Structure
  readonly sorts: readonly Sort[]
  readonly change: Change
}

const listTexts = {
  en: { asTable: 'Original order of the table', sortBy: 'Sort by', thenBy: 'Then by', add: 'Add a column' },
  ar: { asTable: 'الترتيب الأصلي للجدول', sortBy: 'رتّب حسب', thenBy: 'ثم حسب', add: 'إضافة عمود' },
} as const

/** The sorts one after the other, each with its direction. */
export const SortList = ({ structure, sorts, change }: SortListProps) => {
  const { t, language } = useWords()
  const { asTable, sortBy, thenBy, add } = listTexts[language]
  const direction = structure.defSortDir === 'desc' ? t.descending : t.ascending
  const set = (next: readonly Sort[]) => change({ sorts: next, page: 1 })
  const put = (at: number, sort: Sort) => set(sorts.map((one, place) => (place === at ? sort : one)))
  const rest = structure.sortables.filter((field) => !sorts.some((sort) => sort.field === field))
  return (
    <>
      {sorts.length === 0 && (
        <p className="help">
          {asTable}: {columnLabel(structure, structure.defSortCol)}
          {t.comma}
          {direction.toLocaleLowerCase(language)}
        </p>
      )}
      <ol className="sorts">
        {sorts.map((sort, at) => (
          <SortLine
            key={sort.field}
            structure={structure}
            sort={sort}
            label={at === 0 ? sortBy : thenBy}
            put={(next) => put(at, next)}
            remove={() => set(sorts.filter((one) => one !== sort))}
          />
        ))}
      </ol>
      {rest.length > 0 && (
        <select
          className="field wide"
          aria-label={add}
          value=""
          onChange={({ target }) => set([...sorts, { field: target.value, direction: 'asc' }])}
        >
          <option value="">{add}</option>
          {rest.map((field) => (
            <option key={field} value={field}>
              {columnLabel(structure, field)}
            </option>
          ))}
        </select>
      )}
    </>
  )
}

const emptyValues = {
  en: { label: 'Empty values', last: 'empty last', first: 'empty first' },
  ar: { label: 'القيم الفارغة', last: 'الفارغة أخيرًا', first: 'الفارغة أولًا' },
} as const

interface SortLineProps {
  readonly structure: Structure
  readonly sort: Sort
  readonly label: string
  readonly put: (sort: Sort) => void
  readonly remove: () => void
}

const SortLine = ({ structure, sort, label, put, remove }: SortLineProps) => {
  const { t, language } = useWords()
  const texts = emptyValues[language]
  const name = columnLabel(structure, sort.field)
  const { field, direction } = sort
  return (
    <li className="sort-line">
      <span className="grow">
        <small className="muted">{label}</small> {name}
      </span>
      <select
        className="field"
        aria-label={`${label} ${name}`}
        value={sort.direction}
        onChange={({ target }) => put({ ...sort, direction: target.value === 'desc' ? 'desc' : 'asc' })}
      >
        <option value="asc">{t.ascending}</option>
        <option value="desc">{t.descending}</option>
      </select>
      {field !== 'id' && (
        <select
          className="field"
          aria-label={`${texts.label}: ${name}`}
          value={sort.nulls ?? 'last'}
          onChange={({ target }) => put({ field, direction, ...(target.value === 'first' && { nulls: 'first' }) })}
        >
          <option value="last">{texts.last}</option>
          <option value="first">{texts.first}</option>
        </select>
      )}
      <button type="button" className="button quiet square" aria-label={t.remove(name)} onClick={remove}>
        <Icon name="close" />
      </button>
    </li>
  )
}
