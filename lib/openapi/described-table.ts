import type { TableView } from '../table/view.ts'

/** What of one table there is to describe on one guard. */
export interface DescribedTable {
  readonly guard: string
  readonly view: TableView
}

/** A table's schemas are called `<name>.Item` and so on. */
export interface NamedTable extends DescribedTable {
  readonly name: string
}

/**
 * Names the schemas of tables: one set for the guards on which a table looks the same, and of another look one more, which has
 * the guard in its name.
 */
export function namedTables(tables: readonly DescribedTable[]): readonly NamedTable[] {
  const names = new Map<TableView, string>()
  const taken = new Set<string>()
  return tables.map(({ guard, view }) => {
    const plain = componentName(view.table.name)
    const name = names.get(view) ?? (taken.has(plain) ? `${plain}--${guard}` : plain)
    names.set(view, name)
    taken.add(name)
    return { guard, view, name }
  })
}

/** OpenAPI allows few characters in the names of schemas; any other is written as its code. */
export const componentName = (name: string): string =>
  name.replace(/[^a-zA-Z0-9._-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`)
