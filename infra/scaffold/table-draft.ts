import { canBeKey, kindOfType, type ValueKind } from '../../lib/table/value-kind.ts'
import { englishLabel } from './names.ts'
import type { CatalogueColumn, CatalogueReference, CatalogueTable } from './read-catalogue.ts'
import { type DraftColumn, findSearchedColumns, nameColumns, type SearchedColumns } from './searched-columns.ts'

/** The first content of a table file, from the description of the database. */
export interface TableDraft {
  readonly key: string
  readonly columns: readonly DraftColumn[]
  readonly leftOut: readonly LeftOut[]
  readonly relations: readonly DraftRelation[]
  /** Columns that lead an index, so that Postgres need not sort for them. */
  readonly sortables: readonly string[]
  readonly defaultSort: readonly [string, 'asc' | 'desc']
  readonly searched: SearchedColumns
}

/** A column of the database that the table does not show. */
export interface LeftOut {
  readonly name: string
  /** Why, for a comment and for the author. */
  readonly because: string
}

export interface DraftRelation {
  readonly name: string
  readonly reference: CatalogueReference
  /** The column of the related table that says what its row is called. */
  readonly shown: string
}

/** Throws where the table has no key of one column that is never null. */
export function createDraft(table: CatalogueTable, related: ReadonlyMap<string, CatalogueTable>): TableDraft {
  const ofKind = table.columns.flatMap((column) => {
    const kind = columnKind(column)
    return kind === undefined ? [] : [{ ...column, kind }]
  })
  const key = findKey(table, ofKind)
  const leftOut = table.columns.flatMap((column) => {
    const because = whyLeftOut(column, key)
    return because === undefined ? [] : [{ name: column.name, because }]
  })
  const columns = ofKind.filter((column) => !leftOut.some(({ name }) => name === column.name))
  const sortables = columns.filter(({ name, kind }) => kind !== 'json' && kind !== 'array' && leadsIndex(table, name))
  const moments = sortables.filter(({ kind, notNull }) => notNull && isDate(kind))
  const latest = moments.find(({ name }) => /created|placed|at$/.test(name)) ?? moments[0]
  return {
    key,
    columns,
    leftOut,
    relations: createRelations(table, related),
    sortables: sortables.map(({ name }) => name),
    defaultSort: latest === undefined ? [key, 'asc'] : [latest.name, 'desc'],
    searched: findSearchedColumns(table, columns),
  }
}

export const isDate = (kind: ValueKind): boolean => kind === 'date' || kind === 'timestamp' || kind === 'instant'

/** Whether an index of that kind, over all rows, has this column first. */
export const leadsIndex = (table: CatalogueTable, column: string, method = 'btree', operatorClass?: string): boolean =>
  (method === 'btree' && table.keys.some(({ columns }) => columns[0] === column)) ||
  table.indexes.some(
    (index) =>
      index.method === method &&
      index.where === null &&
      index.parts[0]?.column === column &&
      (operatorClass === undefined || index.parts[0].operatorClass === operatorClass),
  )

function columnKind({ type, values }: CatalogueColumn): ValueKind | undefined {
  if (values !== null && !type.endsWith('[]')) return 'enum'
  const kind = kindOfType(type)
  // A list is shown as the texts of its entries, which JSON is not.
  return kind === 'array' && kindOfType(type.replace(/\[\]$/, '')) === 'json' ? undefined : kind
}

function whyLeftOut(column: CatalogueColumn, key: string): string | undefined {
  const { name, type } = column
  if (columnKind(column) === undefined) return `the service cannot show ${type}`
  if (name === 'row' || name === 'actions') return `an item has something else under "${name}"`
  return name === 'id' && key !== 'id' ? `an item's id is its key, which is ${key}` : undefined
}

function findKey({ name, keys }: CatalogueTable, columns: readonly DraftColumn[]): string {
  const usable = columns.filter(({ kind, notNull, type }) => notNull && canBeKey(kind, type))
  const identifying = keys.find(
    ({ columns: [only, ...more] }) => more.length === 0 && usable.some((one) => one.name === only),
  )
  const [key] = identifying?.columns ?? []
  if (key !== undefined) return key
  const primary = keys.find((candidate) => candidate.primary)
  const has = primary === undefined ? 'no primary key' : `the primary key (${primary.columns.join(', ')})`
  throw new Error(
    `The table "${name}" has ${has}; a row is found by one column that is unique, never null and a number, text, uuid, enum or date`,
  )
}

function createRelations(
  table: CatalogueTable,
  related: ReadonlyMap<string, CatalogueTable>,
): readonly DraftRelation[] {
  const taken = new Set<string>([table.name])
  return table.references.flatMap((reference) => {
    const target = related.get(reference.table)
    const shown = target && findNameColumn(target, reference.targets)
    const [first = ''] = reference.columns
    const wanted = first.replace(/_(id|uuid|code|key)$/i, '').replaceAll('__', '_')
    const name = [wanted, `${wanted}_row`, `${wanted}_of_${reference.table}`].find(
      (candidate) => !taken.has(candidate) && !table.columns.some((column) => column.name.startsWith(`${candidate}__`)),
    )
    if (shown === undefined || name === undefined) return []
    taken.add(name)
    return [{ name, reference, shown }]
  })
}

function findNameColumn({ columns }: CatalogueTable, keys: readonly string[]): string | undefined {
  const texts = columns.filter((column) => columnKind(column) === 'text').map(({ name }) => name)
  return (
    nameColumns.find((name) => texts.includes(name)) ??
    texts.find((text) => !keys.includes(text)) ??
    columns.find((column) => !['json', 'array', 'boolean'].includes(columnKind(column) ?? 'json'))?.name
  )
}

/** The label of a column of a related table. It differs from those of the `columns` of the table itself. */
export const relationLabel = (relation: string, shown: string, columns: readonly string[]): string =>
  shown === 'name' && !columns.some((name) => englishLabel(name, columns) === englishLabel(relation))
    ? englishLabel(relation)
    : `${englishLabel(relation)}: ${englishLabel(shown).toLowerCase()}`
