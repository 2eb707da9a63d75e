import { bind, type Statement } from '../db/statement.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { AppliedSearch, SearchedColumn } from '../query/plan-extensions.ts'
import { readSearch } from '../query/search.ts'
import { foldedText, termPattern } from '../query/search-condition.ts'
import { createCellFormat } from '../rows/cell.ts'
import { isoField } from '../rows/iso-field.ts'
import { createVersionWriter, hasVersionedCells, hasVersions, versionSource } from '../rows/row-version.ts'
import { isFormatted } from '../table/column-definition.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { ResponseContext } from '../table/context.ts'
import { formerName } from '../table/former-names.ts'
import type { ViewedTable } from '../table/open-table.ts'
import { readsWholeRows } from '../table/reads-whole-rows.ts'
import { type Field, type Selection, selectFields, type TableView } from '../table/view.ts'
import { ownValue, type TableRequest } from './table-request.ts'

/** The further members of items that a request may ask for. */
const includable = ['raw', 'version', 'matches'] as const

type IncludedPart = (typeof includable)[number]

type ShapeRequest = Pick<TableRequest, 'view' | 'body' | 'config' | 'database'>

/** Returns a reader of `include` and `columns`, which throws `validation_failed` for what they may not be. */
export async function readItemShape(
  request: ShapeRequest,
  ofPages: readonly string[] = [],
): Promise<(context: ResponseContext) => ViewedTable> {
  const { view, body, config, database } = request
  const asked = ownValue(body, 'include') ?? []
  const allowed =
    Array.isArray(asked) && asked.includes('version') && !(await hasVersions(database, view.table))
      ? includable.filter((part) => part !== 'version')
      : includable
  return (context) => {
    const fields: Record<string, readonly Bilingual[]> = {}
    const included = readList(asked, 'include', [...allowed, ...ofPages], fields) as readonly IncludedPart[]
    const names = [...columnNames(view), ...view.columns.flatMap((column) => formerName(column) ?? [])]
    const columns = readList(ownValue(body, 'columns') ?? [], 'columns', names, fields)
    const search = included.includes('matches') ? readAsked(view, ownValue(body, 'search'), fields) : undefined
    if (Object.keys(fields).length > 0) throw validationFailed(fields)
    const shape = { included: new Set(included), columns, search, secret: config.SERVICE_SECRET }
    const isWhole = columns.length === 0 || columns.includes(actionsName)
    return { view: findShaped(view, shape), context: isWhole ? context : { ...context, itemActions: 'none' } }
  }
}

function readAsked(view: TableView, asked: unknown, fields: Record<string, readonly Bilingual[]>) {
  return (asked ?? '') === '' ? undefined : readSearch(view, asked, fields)?.applied
}

/** The name of the column of the row's actions, as the structure has it. */
const actionsName = 'NA'

const sourceName = ({ type, key }: CompiledColumn): string => (type === 'actions' ? actionsName : key)

/** A hidden column and one that does not exist are missing alike. */
const columnNames = ({ columns }: TableView): readonly string[] => [...new Set(['id', ...columns.map(sourceName)])]

/** Columns under the names by which they are chosen, which may be former ones. */
const chooseColumns = ({ columns }: TableView, chosen: readonly string[]): TableView['columns'] =>
  columns.flatMap((column) => {
    const former = formerName(column)
    return [
      ...(chosen.includes(sourceName(column)) ? [column] : []),
      ...(former !== undefined && chosen.includes(former) ? [{ ...column, key: former }] : []),
    ]
  })

const maxEntries = 1_000

function readList(
  asked: unknown,
  key: string,
  allowed: readonly string[],
  fields: Record<string, readonly Bilingual[]>,
): readonly string[] {
  if (!Array.isArray(asked)) fields[key] = [fieldFault('not_a_list')]
  else if (asked.length > maxEntries) fields[key] = [fieldFault('too_many', { max: maxEntries })]
  else {
    const wrong = asked.findIndex((entry) => !allowed.includes(entry))
    if (wrong < 0) return asked
    fields[`${key}.${wrong}`] = [listOptions(allowed)]
  }
  return []
}

interface Shape {
  readonly included: ReadonlySet<IncludedPart>
  /** Empty for all. */
  readonly columns: readonly string[]
  /** Set where items tell what it has matched. */
  readonly search: AppliedSearch | undefined
  readonly secret: string
}

const known = new WeakMap<TableView, Map<string, TableView>>()

/** Clients choose columns, and so the number of shapes, each of which has texts of its own. */
const maxShapes = 20

/** Returns the same object for the same shape without a search, because texts of statements are remembered by it. */
function findShaped(view: TableView, shape: Shape): TableView {
  if (shape.search !== undefined) return shapeView(view, shape)
  const { included, columns, secret } = shape
  const name = JSON.stringify([[...included].sort(), [...new Set(columns)].sort(), secret])
  const ofView = known.get(view) ?? new Map<string, TableView>()
  const shaped = ofView.get(name) ?? shapeView(view, shape)
  if (ofView.size >= maxShapes) ofView.clear()
  known.set(view, ofView.set(name, shaped))
  return shaped
}

function shapeView(view: TableView, { included, columns: chosen, search, secret }: Shape): TableView {
  const { table } = view
  const isWhole = chosen.length === 0
  const columns = isWhole ? view.columns : chooseColumns(view, chosen)
  const rowActions = isWhole || chosen.includes(actionsName) ? view.rowActions : []
  const wholeRows = isWhole
    ? table.readsWholeRows
    : readsWholeRows(
        columns.map(({ definition }) => definition),
        rowActions.map(({ definition }) => definition),
      )
  const base = selectFields(table, view.columns, columns, wholeRows)
  const fields = [...base.fields]
  const place = (field: Field) => fields.push(field) - 1
  const writers: Writer[] = []
  if (included.has('raw'))
    writers.push(
      createRawWriter(
        columns.flatMap((column) => rawValue(column) ?? []),
        place,
      ),
    )
  if (included.has('version')) {
    const index = place({ source: versionSource(table), datePattern: undefined })
    const placed = columns.flatMap((column, at) =>
      hasVersionedCells(column) ? [{ column, place: base.cells[at] ?? 0 }] : [],
    )
    const write = createVersionWriter(
      secret,
      table,
      placed.map(({ column }) => column),
    )
    writers.push((values) => {
      const cells = placed.map((cell) => values[cell.place])
      return `,"_version":"${write(values[base.key], values[index], cells)}"`
    })
  }
  if (included.has('matches')) writers.push(createMatchWriter(search, columns, place))
  const selection: Selection = { ...base, fields }
  return {
    ...view,
    columns,
    rowActions,
    selection,
    writeMembers: (values) => writers.map((write) => write(values)).join(''),
  }
}

type Writer = NonNullable<TableView['writeMembers']>

function createRawWriter(raw: readonly RawValue[], place: (field: Field) => number): Writer {
  const placed = raw.map(({ key, field, read }) => ({ key, index: place(field), read }))
  return (values) => {
    const members = placed.map(({ key, index, read }) => [key, read(values[index])] as const)
    return `,"_raw":${JSON.stringify(Object.fromEntries(members))}`
  }
}

/**
 * Returns a writer of `_matches`: the columns of `shown` in which one of the terms occurs. The database compares, as it
 * does for the search itself. `place` adds a field to the statement and returns its index.
 */
function createMatchWriter(
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

/** A value of `_raw`, and how JSON writes it. */
interface RawValue {
  readonly key: string
  readonly field: Field
  readonly read: (value: unknown) => unknown
}

/**
 * Returns the unformatted value of a column. A column whose cells a function writes has none, because the function may
 * hide some of it, and a date has no more than its own pattern shows.
 */
function rawValue(column: CompiledColumn): RawValue | undefined {
  const { key, type, definition, source } = column
  if (source === undefined || isFormatted(definition)) return undefined
  if (type === 'date') {
    const field = isoField(column, source)
    return field && { key, field, read: (value) => value }
  }
  const isNumber = type === 'number' || source.kind === 'integer' || source.kind === 'decimal'
  return { key, field: { source, datePattern: undefined }, read: isNumber ? createCellFormat('number') : jsonValue }
}

/** JSON has neither NaN nor an absent value. */
const jsonValue = (value: unknown): unknown =>
  value === undefined || (typeof value === 'number' && !Number.isFinite(value)) ? null : value
