import type { $ZodType } from 'zod/v4/core'
import { filterTypes, operators } from '../wire/vocabulary.ts'
import type { DefaultActionKey } from './action-definition.ts'
import { isIsoDate } from './check-date-limits.ts'
import { columnTypes } from './column-definition.ts'
import type { AnyTableDefinition, ReportFault } from './definition.ts'
import { isSearched } from './filter-entry.ts'
import { inputTypes } from './input-types.ts'
import { isAsyncSchema } from './is-async-schema.ts'
import { nearNames } from './near-names.ts'
import { isObject } from './unknown-body.ts'

/**
 * The shape that a part of a definition must have: one of these words, or one of several texts. `any`: another check
 * reports its mistakes.
 */
type Form =
  | 'any'
  | 'text'
  | 'number'
  | 'texts'
  | 'label'
  | 'labels'
  | 'flag'
  | 'function'
  | 'immediate'
  | 'schema'
  | 'options'
  | 'collation'
  | 'formerly'
  | readonly unknown[]

type Shape<Key extends string = string> = Readonly<Record<Key, Form>>

/** Every key of the definitions of a group, of whatever kind they are. */
type KeyOf<Group extends keyof AnyTableDefinition> =
  NonNullable<AnyTableDefinition[Group]> extends Readonly<Record<string, infer Part>> ? KeyOfPart<Part> : never
type KeyOfPart<Part> = Part extends unknown ? keyof Part & string : never

const isText = (value: unknown): boolean => typeof value === 'string'
const isList = (value: unknown, isPart: (part: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isPart)
const isLabel = (value: unknown): boolean =>
  isText(value) || (isObject(value) && isText(value['en']) && isText(value['ar']))
const isSearchedOptions = (value: unknown): boolean => isSearched(value) && isText(value.label ?? '')
const isOption = (value: unknown): boolean =>
  isText(value) || (isObject(value) && isText(value['value']) && isLabel(value['label']))
const hasLabels = (value: unknown): boolean => isObject(value) && Object.values(value).every(isLabel)

const isFormerly = (value: unknown): boolean => {
  const { name = '', since, sunset }: Readonly<Record<string, unknown>> = Object(value)
  const days = [String(since), String(sunset)] as const
  return isText(name) && name !== '' && days.every(isIsoDate) && days[0] < days[1]
}

/** The types of zod that may take an object, as a body and the params of a request are. */
const objectTypes = new Set(['object', 'record', 'intersection', 'lazy', 'transform', 'custom', 'any', 'unknown'])

const isSchema = (value: unknown): boolean =>
  isObject(value) &&
  '_zod' in value &&
  !isAsyncSchema(value) &&
  inputTypes(value as unknown as $ZodType).some((type) => objectTypes.has(type))

/** Postgres has a collation for each locale, but not for its extensions. */
function isCollation(value: unknown): boolean {
  if (value === 'natural') return true
  try {
    return typeof value === 'string' && Intl.getCanonicalLocales(value)[0] === value && !/-[a-z]-/.test(value)
  } catch {
    return false
  }
}

const forms: Readonly<
  Record<Exclude<Form, readonly unknown[]>, readonly [is: (value: unknown) => boolean, text: string]>
> = {
  any: [() => true, ''],
  text: [isText, 'a text'],
  number: [(value) => typeof value === 'number', 'a number'],
  texts: [(value) => isList(value, isText), 'a list of texts'],
  label: [isLabel, 'a text or {en, ar}'],
  labels: [hasLabels, 'labels, each a text or {en, ar}'],
  flag: [(value) => typeof value === 'boolean', 'true or false'],
  formerly: [isFormerly, '{name, since, sunset}, with a sunset after since'],
  collation: [isCollation, '"natural" or a locale such as "ar" or "de-AT"'],
  function: [(value) => typeof value === 'function', 'a function'],
  immediate: [
    (value) => typeof value === 'function' && value.constructor.name !== 'AsyncFunction',
    'a function that is not async',
  ],
  schema: [isSchema, 'a schema of zod whose functions are not async, and which takes an object'],
  options: [
    (value) => value === 'bindings' || isList(value, isOption) || hasLabels(value) || isSearchedOptions(value),
    '"bindings", a list of texts or {value, label}, labels by value, or {search: true, label?}',
  ],
}

const column: Shape<KeyOf<'columns'>> = {
  formerly: 'formerly',
  label: 'label',
  name: 'any',
  type: columnTypes,
  showable: 'flag',
  showInMobileApp: 'flag',
  showCopyButton: 'flag',
  grouping: 'flag',
  sortable: [true],
  search: [true],
  decimals: 'number',
  minWidth: 'text',
  pattern: 'text',
  linkColor: 'text',
  linkText: 'label',
  linkStyle: ['text', 'button'],
  loadIf: 'immediate',
  format: 'immediate',
  value: 'immediate',
  load: 'function',
  values: 'any',
  collation: 'collation',
  editable: 'any',
  sensitive: 'any',
}

const filter: Shape<KeyOf<'filters'>> = {
  formerly: 'formerly',
  label: 'label',
  labels: 'labels',
  type: filterTypes,
  source: 'text',
  options: 'options',
  selected: 'flag',
  loadIf: 'immediate',
  min: 'text',
  max: 'text',
  fold: [true],
  operators: 'any',
}

const action = {
  formerly: 'formerly',
  label: 'label',
  buttonClasses: 'texts',
  confirm: 'label',
  form: 'schema',
  formLabels: 'labels',
  showInWeb: 'flag',
  showInMobileApp: 'flag',
  atomic: 'flag',
  loadIf: 'immediate',
  run: 'function',
  preview: 'flag',
  afterCommit: 'function',
} as const

const bulkOnSuccess = ['no_action', 'refetchData', 'deleteRow', 'reload']
const responseOnSuccess = [...bulkOnSuccess, 'refetchRow', 'DisplayOnModal', 'downloadData']

const rowAction: Shape<KeyOf<'rowActions'>> = {
  ...action,
  type: ['normal', 'toggle', 'redirect', 'external_redirect', 'copy', 'custom_control'],
  current: 'immediate',
  to: 'immediate',
  copies: 'immediate',
  appliesTo: 'immediate',
  runAll: 'function',
  formValues: 'immediate',
  onSuccess: [...responseOnSuccess, 'OpenModalForm'],
  onSubmit: responseOnSuccess,
  bulk: 'any',
  undo: 'any',
}

const bulkAction: Shape<KeyOf<'bulkActions'>> = {
  ...action,
  export: ['excel', 'csv'],
  deliver: ['link', 'file'],
  onSuccess: responseOnSuccess,
  conclude: 'function',
  response: ['instant', 'email', 'notification', 'websocket'],
  chunk: 'any',
  maxRows: 'any',
}

const defaultActions: Shape<DefaultActionKey> = { show_details: [false], export_excel: [false] }

const table: Shape<keyof AnyTableDefinition> = {
  name: 'text',
  label: 'label',
  key: 'text',
  params: 'schema',
  actionsColumn: [false],
  sortables: 'texts',
  timeZone: 'text',
  version: 'text',
  firstWeekday: ['monday', 'saturday', 'sunday'],
  itemActions: ['both', 'row', 'actions'],
  live: [true],
  from: 'any',
  matchImportsBy: 'any',
  relations: 'any',
  computed: 'any',
  middlewares: 'any',
  scope: 'any',
  columns: 'any',
  defaultSort: 'any',
  filters: 'any',
  advancedFilters: 'any',
  bindings: 'any',
  rowActions: 'any',
  bulkActions: 'any',
  defaultActions: 'any',
  count: 'any',
  maxOffset: 'any',
  pageBudgetMs: 'any',
  maxPerPage: 'any',
  views: 'any',
}

/** The functions without which an action of a type does nothing. */
const functionsByType: Readonly<Partial<Record<string, string>>> = {
  toggle: 'current',
  redirect: 'to',
  external_redirect: 'to',
  copy: 'copies',
}

/** Keys that decide by being there what a column or a filter is. */
const decidingKeys = ['value', 'load', 'options']

/**
 * Reports parts of a definition that have not the form of their types, as in a table that was not compiled by
 * TypeScript. Bundles leave it out: functions are only bundled with tables that pass it.
 */
export function checkShape(definition: AnyTableDefinition, report: ReportFault): void {
  const expect = (path: string, value: unknown, form: Form) => {
    const [isRight, text] =
      typeof form === 'string'
        ? forms[form]
        : ([(part: unknown) => form.includes(part), `one of ${form.join(', ')}`] as const)
    if (!isRight(value)) report(`${path} must be ${text}`)
  }
  const check = (path: string, value: unknown, shape: Shape): Readonly<Record<string, unknown>> => {
    if (!isObject(value)) {
      report(`${path} must be an object`)
      return {}
    }
    for (const [key, form] of Object.entries(shape))
      if (value[key] !== undefined) expect(`${path}.${key}`, value[key], form)
    reportUnknown(`${path} has`, value, shape, report)
    for (const key of decidingKeys)
      if (key in value && value[key] === undefined) report(`${path}.${key} is undefined; leave the key out`)
    return value
  }
  const each = (group: keyof AnyTableDefinition, shape: Shape, more: (path: string, part: Part) => void = () => {}) => {
    // Another form has been reported.
    const parts: unknown = definition[group]
    if (!isObject(parts)) return
    for (const [key, part] of Object.entries(parts)) more(`${group}.${key}`, check(`${group}.${key}`, part, shape))
  }
  checkSettings(definition, expect, report)
  reportUnknown('it has', definition, table, report)
  if (definition.defaultActions !== undefined) check('defaultActions', definition.defaultActions, defaultActions)
  each('columns', column, (path, { label, name, values }) => {
    expect(`${path}.label`, label, 'label')
    if (name !== undefined && name !== null) expect(`${path}.name`, name, 'text')
    if (values !== undefined) checkValues(`${path}.values`, values, expect)
  })
  for (const group of ['filters', 'advancedFilters'] as const) {
    each(group, filter, (path, { labels, type, operators: chosen }) => {
      if (chosen !== undefined && !isList(chosen, (one) => operators.some((operator) => operator === one)))
        report(`${path}.operators must be a list of ${operators.join(', ')}`)
      const names = type === 'null' ? ['set', 'notSet'] : ['true', 'false']
      if (isObject(labels)) for (const name of names) expect(`${path}.labels.${name}`, labels[name], 'label')
    })
  }
  each('rowActions', rowAction, (path, part) => {
    const needed = functionsByType[String(part['type'])]
    if (needed !== undefined) expect(`${path}.${needed}`, part[needed], 'function')
    const { bulk } = part
    if (bulk !== undefined && bulk !== true) check(`${path}.bulk`, bulk, { onSuccess: bulkOnSuccess })
  })
  each('bulkActions', bulkAction)
  for (const [key, load] of Object.entries(isObject(definition.bindings) ? definition.bindings : {}))
    expect(`bindings.${key}`, load, 'function')
}

/** A misspelt key would be without effect: one of `loadIf` would show a column to everybody. */
function reportUnknown(subject: string, part: object, shape: Shape, report: ReportFault): void {
  for (const key of Object.keys(part)) {
    if (Object.hasOwn(shape, key)) continue
    const [near] = nearNames(key, Object.keys(shape))
    report(`${subject} the unknown key "${key}"; ${near === undefined ? 'remove it' : `did you mean "${near}"?`}`)
  }
}

type Part = Readonly<Record<string, unknown>>
type Expect = (path: string, value: unknown, form: Form) => void

function checkSettings(definition: AnyTableDefinition, expect: Expect, report: ReportFault): void {
  for (const [key, form] of Object.entries(table)) {
    const value: unknown = Reflect.get(definition, key)
    if (value !== undefined || required.has(key)) expect(key, value, form)
  }
  const groups = ['filters', 'advancedFilters', 'rowActions', 'bulkActions', 'bindings'] as const
  for (const group of groups)
    if (definition[group] !== undefined && !isObject(definition[group])) report(`${group} must be an object`)
  if (!isObject(definition.columns)) report('columns must be an object')
  const { count, defaultSort, pageBudgetMs = 100, version, views } = definition
  if (version !== undefined && !Object.hasOwn(definition.from, version))
    report(`the version "${version}" is not an attribute of the table`)
  else if (version !== undefined && !(Reflect.get(definition.from, version) as { notNull?: boolean }).notNull)
    report(`the version "${version}" may be missing, and would then stay the same; declare the attribute not null`)
  if (!Number.isInteger(pageBudgetMs) || pageBudgetMs < 100 || pageBudgetMs > 20_000)
    report('pageBudgetMs must be a whole number from 100 to 20,000')
  if (views !== undefined && !(isObject(views) && typeof views['shared'] === 'boolean'))
    report('views must be {shared: true} or {shared: false}')
  if (count !== undefined) checkCount(count, report)
  if (defaultSort === undefined) return
  if (!isList(defaultSort, isText) || !['asc', 'desc'].includes(defaultSort[1]))
    report('defaultSort must be a list of a column and asc or desc')
}

const required = new Set(['name', 'key'])

const countWords: readonly unknown[] = ['exact', 'auto', 'none', 'capped', 'estimated']

const autoLimits = { budgetMs: [1, 5_000], cap: [1, 1_000_000], rememberSeconds: [0, 3_600] } as const

/** A misspelt policy would count nothing or everything. */
function checkCount(count: unknown, report: ReportFault): void {
  if (countWords.includes(count) || (isObject(count) && 'capped' in count)) return
  if (!isObject(count) || !isObject(count['auto'])) {
    report('count must be "exact", "auto", "none", "capped", "estimated", {capped} or {auto: {…}}')
    return
  }
  const limits = count['auto']
  for (const [key, [min, max]] of Object.entries(autoLimits)) {
    const value = limits[key]
    if (value !== undefined && !(Number.isInteger(value) && Number(value) >= min && Number(value) <= max))
      report(`count.auto.${key} must be a whole number from ${min} to ${max.toLocaleString('en')}`)
  }
}

function checkValues(path: string, values: unknown, expect: Expect): void {
  if (!isObject(values)) expect(path, values, 'labels')
  for (const [key, value] of Object.entries(isObject(values) ? values : {})) {
    const [label, style] = isObject(value) && 'label' in value ? [value['label'], value['style']] : [value, undefined]
    expect(`${path}.${key}`, label, 'label')
    if (style !== undefined) expect(`${path}.${key}.style`, style, ['success', 'danger', 'info', 'warning'])
  }
}
