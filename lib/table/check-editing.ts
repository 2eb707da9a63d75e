import type { PgColumn } from 'drizzle-orm/pg-core'
import type { AnyTableDefinition } from './definition.ts'
import { listColumns } from './source.ts'
import { kindOfType } from './value-kind.ts'

/**
 * Reports columns that are declared editable and cannot be. Bundles leave it out: functions are only bundled with tables that pass it.
 */
export function checkEditing(definition: AnyTableDefinition, report: (fault: string) => void): void {
  const attributes = listColumns(definition.from)
  for (const [key, { editable }] of Object.entries(definition.columns)) {
    if (editable === undefined) continue
    const fault = findShapeFault(editable) ?? findFault(definition, key, attributes[key])
    if (fault !== undefined) report(`the column "${key}" cannot be edited, because ${fault}`)
  }
  const { matchImportsBy: matched } = definition
  const isMatchable = (attribute: PgColumn | undefined) =>
    attribute !== undefined && ['text', 'integer'].includes(kindOfType(attribute.getSQLType()) ?? '')
  if (matched !== undefined && !(matched in definition.columns && isMatchable(attributes[matched])))
    report(`matchImportsBy is "${matched}", which is no column of a text or a whole number of the table itself`)
  for (const [key, { sensitive }] of Object.entries(definition.columns))
    if (sensitive !== undefined && (sensitive as unknown) !== true)
      report(`columns.${key}.sensitive must be true, or left out`)
}

function findShapeFault(editable: unknown): string | undefined {
  if (editable === true) return undefined
  if (typeof editable !== 'object' || editable === null) return 'editable must be true or {schema?, when?}'
  const { schema, when, ...unknown } = editable as Readonly<Record<string, unknown>>
  const strange = Object.keys(unknown)[0]
  if (strange !== undefined) return `editable has the unknown key "${strange}"; use schema and when`
  if (schema !== undefined && !(typeof schema === 'object' && schema !== null && '_zod' in schema))
    return 'editable.schema must be a schema of zod'
  return when === undefined || typeof when === 'function' ? undefined : 'editable.when must be a function'
}

function findFault(
  { key: tableKey, version, columns }: AnyTableDefinition,
  key: string,
  attribute: PgColumn | undefined,
): string | undefined {
  const column = columns[key]
  if (attribute === undefined || column === undefined || 'value' in column || 'load' in column)
    return 'it is no attribute of the table itself'
  if (key === tableKey) return 'it is the key, by which a row is found'
  if (key === version) return 'it is the version, which changes with every edit'
  if (attribute.generated !== undefined || attribute.generatedIdentity !== undefined)
    return 'the database generates its values'
  if ('format' in column && column.format !== undefined) return 'its format may hide what it holds'
  const sqlType = attribute.getSQLType()
  const kind = kindOfType(sqlType)
  const hasSchema = typeof column.editable === 'object' && column.editable.schema !== undefined
  if ((kind === 'json' || kind === 'array') && !hasSchema)
    return `nothing tells which ${sqlType} values it takes; name them by editable.schema`
  const tokens = kind === 'date' ? /^(?=.*yyyy)(?=.*MM)(?=.*dd)/ : /^(?=.*yyyy)(?=.*MM)(?=.*dd)(?=.*HH)(?=.*mm)/
  if ('pattern' in column && column.pattern !== undefined && !tokens.test(column.pattern))
    return `its pattern "${column.pattern}" hides a part of what it holds`
  return undefined
}
