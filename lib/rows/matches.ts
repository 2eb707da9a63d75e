import { bind, type Statement } from '../db/statement.ts'
import type { AppliedSearch, SearchedColumn } from '../query/plan-extensions.ts'
import { foldedText, termPattern } from '../query/search-condition.ts'
import type { Field, TableView } from '../table/view.ts'

/**
 * Returns a writer of `_matches`: the columns of `shown` in which one of the terms occurs. The database compares, as it does for the search
 * itself. `place` adds a field to the statement and returns its index.
 */
export function createMatchWriter(
  search: AppliedSearch | undefined,
  shown: TableView['columns'],
  place: (field: Field) => number,
): NonNullable<TableView['writeMembers']> {
  const placed = (search?.columns ?? []).flatMap((column) => {
    // A column may be shown under its former name.
    const keys = shown.filter(({ definition }) => definition === column.definition).map(({ key }) => key)
    if (keys.length === 0) return []
    const index = place(matchField(column, search?.terms ?? []))
    return keys.map((key) => ({ key, index }))
  })
  return (values) => {
    const matched = placed.filter(({ index }) => values[index] === true).map(({ key }) => key)
    return `,"_matches":${JSON.stringify(matched)}`
  }
}

function matchField({ source }: SearchedColumn, terms: AppliedSearch['terms']): Field {
  const expression = (statement: Statement): string => {
    const folded = foldedText(source, statement)
    const matches = [true, false].flatMap((beginsWord) => {
      const patterns = terms.filter((term) => term.beginsWord === beginsWord).map(termPattern)
      if (patterns.length === 0) return []
      const list = patterns.map((pattern) => `${bind(statement, pattern)}::text`).join(', ')
      return [`${folded} ${beginsWord ? '~' : 'like'} any(array[${list}])`]
    })
    return `(${matches.join(' or ')})`
  }
  return { source: { ...source, key: `${source.key} matches`, kind: 'boolean', expression }, datePattern: undefined }
}
