import type { PgColumn } from 'drizzle-orm/pg-core'
import type { $ZodType } from 'zod/v4/core'
import { formKeys } from './action-entry.ts'
import { bodyKeys } from './action-key.ts'
import { isFormatted } from './column-definition.ts'
import { defaultRowActions, maxInstantRows } from './compile-actions.ts'
import type { BulkAction, RowAction } from './compiled-table.ts'
import type { AnyTableDefinition, ReportFault } from './definition.ts'
import type { LabelledForm } from './form-schema.ts'
import { formerName, presentName, type Renamable } from './former-names.ts'
import { inputTypes, notJson } from './input-types.ts'
import { isAsyncSchema } from './is-async-schema.ts'
import { isUnique, listColumns, type Source } from './source.ts'
import { canBeKey, kindOfType } from './value-kind.ts'

/** Reports a key that does not identify rows. */
export function checkKey({ from, key }: AnyTableDefinition, source: Source | undefined, report: ReportFault): void {
  const attribute = listColumns(from)[key]
  if (attribute === undefined || source === undefined) report(`the key "${key}" is not an attribute`)
  else if (!isUnique(from, [key])) report(`the key "${key}" must be a primary key, or unique and not null`)
  else if (!attribute.notNull && !attribute.primary)
    report(`the key "${key}" may be missing; declare its attribute .notNull()`)
  else if (!canBeKey(source.kind, source.sqlType))
    report(
      `the key "${key}" must be text, varchar, uuid, a whole or decimal number, an enum or a date: ${unfit(source)}`,
    )
}

const unfit = ({ kind, sqlType }: Source): string =>
  kind === 'boolean' ? 'a boolean tells only two rows apart' : `two ${sqlType} values can be equal and look different`

/**
 * Reports columns that are declared editable and cannot be, and versions that changes may leave as they are. Bundles
 * leave it out: functions are only bundled with tables that pass it.
 */
export function checkEditing(definition: AnyTableDefinition, report: ReportFault): void {
  const attributes = listColumns(definition.from)
  for (const [key, { editable }] of Object.entries(definition.columns)) {
    if (editable === undefined) continue
    const fault = findShapeFault(editable) ?? findEditingFault(definition, key, attributes[key])
    if (fault !== undefined) report(`the column "${key}" cannot be edited, because ${fault}`)
  }
  const { matchImportsBy: matched, version } = definition
  const fault = matched === undefined ? undefined : findMatchingFault(definition.columns[matched], attributes[matched])
  if (fault !== undefined) report(`matchImportsBy is "${matched}", ${fault}`)
  const counted = version === undefined ? undefined : attributes[version]?.getSQLType()
  if (counted !== undefined && !(countable.includes(kindOfType(counted) ?? '') && !/^(real|double)/.test(counted)))
    report(
      `the version "${version}" must be a whole or decimal number, a timestamp, a UUID or a text, and is ${counted}`,
    )
  for (const [key, { sensitive }] of Object.entries(definition.columns))
    if (sensitive !== undefined && (sensitive as unknown) !== true)
      report(`columns.${key}.sensitive must be true, or left out`)
}

function findMatchingFault(
  column: AnyTableDefinition['columns'][string] | undefined,
  attribute: PgColumn | undefined,
): string | undefined {
  if (column === undefined || !['text', 'integer'].includes(kindOfType(attribute?.getSQLType() ?? '') ?? ''))
    return 'which is no column of a text or a whole number of the table itself'
  const { type = 'text' } = column
  const isChanged = ['format', 'value', 'load', 'values', 'pattern'].some(
    (name) => Reflect.get(column, name) !== undefined,
  )
  if (!isChanged && (type === 'text' || type === 'number')) return undefined
  return 'whose cells are not its values; name a column of the type text or number without format, values and pattern'
}

/** The kinds of versions that can differ after every change; a text may be made by a trigger. */
const countable: readonly string[] = ['integer', 'decimal', 'timestamp', 'instant', 'uuid', 'text']

function findShapeFault(editable: unknown): string | undefined {
  if (editable === true) return undefined
  if (typeof editable !== 'object' || editable === null) return 'editable must be true or {schema?, when?}'
  const { schema, when, ...unknown } = editable as Readonly<Record<string, unknown>>
  const strange = Object.keys(unknown)[0]
  if (strange !== undefined) return `editable has the unknown key "${strange}"; use schema and when`
  if (schema !== undefined && !(typeof schema === 'object' && schema !== null && '_zod' in schema))
    return 'editable.schema must be a schema of zod'
  if (isAsyncSchema(schema)) return 'a function of editable.schema is async; check the value in a row action'
  const types = schema === undefined ? [] : inputTypes(schema as $ZodType)
  if (types.length > 0 && types.every((type) => notJson.has(type)))
    return `editable.schema takes a ${types[0]}, which JSON does not have; take a text and transform it, as by z.iso.datetime().transform((text) => new Date(text))`
  return when === undefined || typeof when === 'function' ? undefined : 'editable.when must be a function'
}

function findEditingFault(
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
  const sqlType = attribute.getSQLType()
  const kind = kindOfType(sqlType)
  if (kind === 'json') return `it holds ${sqlType}; edit an attribute of another type, or write JSON by a row action`
  if (isFormatted(column)) return 'its format may hide what it holds'
  const hasSchema = typeof column.editable === 'object' && column.editable.schema !== undefined
  if (kind === 'array' && !hasSchema)
    return `nothing tells which ${sqlType} values it takes; name them by editable.schema`
  const tokens = kind === 'date' ? /^(?=.*yyyy)(?=.*MM)(?=.*dd)/ : /^(?=.*yyyy)(?=.*MM)(?=.*dd)(?=.*HH)(?=.*mm)/
  if ('pattern' in column && column.pattern !== undefined && !tokens.test(column.pattern))
    return `its pattern "${column.pattern}" hides a part of what it holds`
  return undefined
}

/** Checks what types cannot see of actions: whether a call would do anything. */
export function checkActions(
  rowActions: readonly RowAction[],
  bulkActions: readonly BulkAction[],
  report: ReportFault,
): void {
  for (const action of rowActions) checkRowAction(action, report)
  for (const action of bulkActions) checkBulkAction(action, report)
  for (const { key, definition } of [...rowActions, ...bulkActions]) checkForm(key, definition, report)
}

function checkRowAction({ key, definition }: RowAction, report: ReportFault): void {
  const { type = 'normal', run, runAll, form, onSuccess, bulk } = definition
  const acts = run !== undefined || runAll !== undefined
  const mustAct = type === 'normal' || type === 'toggle'
  if (mustAct && !acts && !Object.hasOwn(defaultRowActions, key))
    report(`the action "${key}" has neither run nor runAll`)
  if (!mustAct && !acts && bulk !== undefined) report(`the action "${key}" has bulk, but neither run nor runAll`)
  if (onSuccess === 'OpenModalForm' && form === undefined)
    report(`the action "${key}" opens a form, but has none; add form`)
}

const maxChunkRows = 20_000

function checkBulkAction({ key, definition }: BulkAction, report: ReportFault): void {
  const exports = definition.export !== undefined
  const runs = 'run' in definition
  if (exports === runs) report(`the bulk action "${key}" must have either an export or a run`)
  if (!runs) return
  const { chunk = 1, maxRows = 1, response = 'instant' } = definition
  if (!Number.isInteger(chunk) || chunk < 1 || chunk > maxChunkRows)
    report(`the chunk of the bulk action "${key}" must be from 1 to ${maxChunkRows}`)
  if (!Number.isInteger(maxRows) || maxRows < 1) report(`maxRows of the bulk action "${key}" must be 1 or more`)
  if (response === 'instant' && maxRows > maxInstantRows)
    report(`maxRows of the instant bulk action "${key}" must be ${maxInstantRows} or less`)
}

const reserved: ReadonlySet<string> = new Set(bodyKeys)

/**
 * Reports fields that no client could fill in, those that a body has another meaning for, and labels of unknown fields.
 */
function checkForm(key: string, definition: LabelledForm, report: ReportFault): void {
  const { form, formLabels = {} } = definition
  const fields = formKeys(definition)
  for (const field of fields) {
    if (reserved.has(field))
      report(`the form of "${key}" has a field "${field}", which is a reserved key of request bodies; rename it`)
  }
  for (const field of Object.keys(formLabels)) {
    if (!fields.includes(field)) report(`the form of "${key}" has no field "${field}" for its label`)
  }
  for (const [path, type] of unsendable(form)) {
    const hint = type === 'date' ? '; use z.iso.date() or z.iso.datetime()' : ''
    report(`the field "${path}" of the form of "${key}" is a ${type}, which JSON does not have${hint}`)
  }
}

interface SchemaDefinition {
  readonly type: string
  readonly shape?: Readonly<Record<string, $ZodType>>
  readonly [part: string]: unknown
}

/** The parts of a form that are of such a type, by their paths. What a schema makes of a value may be of any. */
function unsendable(
  schema: unknown,
  path: readonly string[] = [],
  met = new Set<unknown>(),
): readonly (readonly [path: string, type: string])[] {
  const definition = (schema as $ZodType | undefined)?._zod?.def as SchemaDefinition | undefined
  // A form may hold itself.
  if (definition === undefined || met.has(schema)) return []
  met.add(schema)
  const { type, shape = {}, innerType, element, left, right, valueType, options = [], items = [] } = definition
  if (notJson.has(type)) return [[path.join('.'), type]]
  const inner = [innerType, element, left, right, valueType, definition['in'], options, items].flat()
  const fields = Object.entries(shape).flatMap(([name, field]) => unsendable(field, [...path, name], met))
  return [...fields, ...inner.flatMap((part) => unsendable(part, path, met))]
}

/** Reports each former name that is the name of another part of its kind. */
export function checkFormerNames(kinds: Readonly<Record<string, readonly Renamable[]>>, report: ReportFault): void {
  for (const [kind, parts] of Object.entries(kinds)) {
    const names = new Set(parts.map(presentName))
    for (const part of parts) {
      const name = formerName(part)
      if (name === undefined) continue
      if (names.has(name)) report(`the former name "${name}" of the ${kind} "${presentName(part)}" is in use already`)
      names.add(name)
    }
  }
}

/**
 * Throws if the options of a registry do not suit a table: nothing says with whom its views are shared, or requests
 * would have to wait for the schema of the claims. Bundles leave this out: functions are only bundled with registries
 * that pass it.
 */
export function checkRegistry({ name, views }: AnyTableDefinition, tenant: unknown, claims: unknown): void {
  if (views?.shared === true && tenant === undefined)
    throw new Error(`The table "${name}" shares views, but createRegistry has no tenant, which says with whom`)
  if (isAsyncSchema(claims))
    throw new Error('A function of the claims of createRegistry is async; check in a middleware what takes time')
}
