import { createUnsupported } from './grid-client.ts'
import { createCondition, type Equivalents, type GridPart, joinFilters } from './grid-filters.ts'

/** A group of SearchBuilder's request. */
export interface SearchGroup {
  readonly logic?: string
  readonly criteria?: readonly (SearchGroup | SearchCriterion)[]
}

interface SearchCriterion {
  readonly condition?: string
  /** The `data` of the column. */
  readonly origData?: string
  readonly type?: string
  readonly value?: readonly string[]
}

const equivalents: Equivalents = {
  ...{ '=': '=', '!=': '!=', '<': '<', '<=': '<=', '>': '>', '>=': '>=', null: 'is null', '!null': 'is not null' },
  ...{ between: 'between', '!between': 'not between', contains: 'like', '!contains': 'not like' },
  ...{ starts: 'starts with', '!starts': { none: 'starts with' }, ends: 'ends with', '!ends': { none: 'ends with' } },
}

/** Translates the criteria of SearchBuilder. `findField` returns the name of the filter of a column. */
export function readSearchBuilder(
  { logic = 'AND', criteria = [] }: SearchGroup,
  findField: (data: string) => string,
): readonly GridPart[] {
  const parts = criteria.flatMap((entry) =>
    'criteria' in entry ? readSearchBuilder(entry, findField) : readCriterion(entry as SearchCriterion, findField),
  )
  return joinFilters(parts, logic === 'OR' ? 'or' : 'and')
}

function readCriterion(
  { condition = '', origData = '', type = '', value = [] }: SearchCriterion,
  findField: (data: string) => string,
): readonly GridPart[] {
  // The user has not chosen a condition or entered its values yet.
  if (condition === '' || value.includes('') || (value.length === 0 && !condition.endsWith('null'))) return []
  const field = findField(origData)
  if (type.startsWith('array')) throw createUnsupported(`a condition on the lists of "${field}"`)
  const isDate = /date|time|moment|luxon/.test(type)
  const dates = isDate ? value.map((text) => text.replace(' ', 'T')) : value
  return [
    createCondition(equivalents, {
      field,
      operator: condition,
      value: condition.endsWith('between') ? dates : dates[0],
      isDate,
    }),
  ]
}
