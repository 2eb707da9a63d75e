import { randomUUID } from 'node:crypto'
import { hasEditing } from '../table/has-editing.ts'
import type { TableView } from '../table/view.ts'
import type { NamedTable } from './named-table.ts'
import { type DescribedPaths, type DocumentSubject, describePaths } from './open-api-document.ts'

/** Writes the members of an object as JSON, without its braces. */
export const writeMembers = (value: object): string => JSON.stringify(value).slice(1, -1)

/**
 * Creates a function that writes the paths of a table as members of the document's. Tables with equal actions have equal
 * operations but for their names, so that only those of the first are described: of 500 tables they are half of the text.
 */
export function createPathWriter(
  described: DocumentSubject,
): (table: NamedTable | undefined) => DescribedPaths<string> {
  const [first] = described.tables
  const known = new Map<string, DescribedPaths<string>>()
  // No text of an author has them, and they need no escape in a path, in a name or in JSON.
  const marks = { name: randomUUID(), path: randomUUID() }
  const write = (table: NamedTable | undefined) => {
    const { paths, references } = describePaths(table, described)
    return { paths: writeMembers(paths), references }
  }
  return (table) => {
    // The first table alone has examples.
    if (table === undefined || table.view === first) return write(table)
    const { name, view } = table
    const key = describeActions(view)
    const standIn = { name: marks.name, view: { ...view, table: { ...view.table, name: marks.path } } }
    const template = known.get(key) ?? write(standIn)
    known.set(key, template)
    return {
      paths: template.paths.replaceAll(marks.name, name).replaceAll(marks.path, encodeURIComponent(view.table.name)),
      references: new Set([...template.references].map((reference) => reference.replace(marks.name, name))),
    }
  }
}

/** Returns the facts about a table on which its operations depend, beside its name. */
function describeActions(view: TableView): string {
  const rows = view.rowActions.map(({ key, definition: { form, bulk } }) => [key, !form, bulk === undefined])
  const several = view.bulkActions.map(({ key, definition: { form } }) => [key, !form])
  return JSON.stringify([rows, several, hasEditing(view)])
}
