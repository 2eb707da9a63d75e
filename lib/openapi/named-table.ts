import type { TableView } from '../table/view.ts'

/** A table of the document. Its schemas are called `<name>.Item` and so on. */
export interface NamedTable {
  readonly name: string
  readonly view: TableView
}

export const nameTable = (view: TableView): NamedTable => ({ name: componentName(view.table.name), view })

/** Writes the characters that OpenAPI does not allow in the names of schemas as their codes. */
export const componentName = (name: string): string =>
  name.replace(/[^a-zA-Z0-9._-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`)
