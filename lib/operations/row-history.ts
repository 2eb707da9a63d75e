import { isServerError } from '../db/database-error.ts'
import { isoMoment } from '../db/iso-moment.ts'
import { bind, createStatement } from '../db/statement.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { type Bilingual, type Language, translate } from '../i18n/language.ts'
import { type GroupKey, hasGroups, planGroupKeys } from '../query/group-keys.ts'
import { versionsStatement } from '../query/keys-statement.ts'
import { openText, sealText } from '../query/sealed-text.ts'
import { cellText } from '../rows/cell-text.ts'
import { formatKey, type KeyCell, keyTexts, textsPerKey } from '../rows/group-cell.ts'
import { keyText } from '../rows/key-text.ts'
import { readPathId } from '../rows/row-id.ts'
import { isFormatted } from '../table/column-definition.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import { presentCells, presentColumnNames } from '../table/former-names.ts'
import { hasPattern } from '../table/raw-column.ts'
import type { TableView } from '../table/view.ts'
import type { Payload, TableRequest } from './table-request.ts'

const defaultLimit = 50
const maxLimit = 100

const page = `select id::text, change, undoes, subject, cells::text,
    ${isoMoment('at')}
  from table_control.cell_changes
  where table_name = $1 and row_key = $2 and id < $3 and cells ?| array(select jsonb_array_elements_text(($4::text)::jsonb))
  order by cell_changes.id desc limit $5`

interface Entry {
  readonly id: string
  readonly change: string
  readonly undoes: unknown
  readonly subject: string
  readonly cells: Readonly<Record<string, { readonly before?: string | null; readonly after?: string | null }>>
  readonly at: string
}

/**
 * Returns who has changed which cells of a row, the latest change first, in the columns that the caller sees today. A
 * row outside the scope is answered like one that does not exist, before its history is read.
 */
export async function rowHistory(request: TableRequest): Promise<Payload> {
  const { table, view, database, identity, context } = request
  const key = keyText(table.key, readPathId(request.path['id'] ?? ''))
  const position = sealPositions(request, key)
  const { limit, before } = readListing(request, position.open)
  if (key === undefined) throw new RequestError('row_not_found')
  const { text, parameters } = versionsStatement(request, [key], false)
  const [found] = await database.read(text, parameters)
  if (found === undefined) throw new RequestError('row_not_found')
  const columns = new Map(view.columns.flatMap((column) => (isStored(column) ? [[column.key, column] as const] : [])))
  const present = presentColumnNames([...columns.values()])
  const names = JSON.stringify([...columns.keys(), ...present.keys()])
  const rows = await database.read(page, [table.name, key, before, names, limit + 1])
  const entries = rows.slice(0, limit).map((row) => toEntry(row, present))
  const cells = await describeCells(request, entries, columns)
  return {
    changes: entries.map(({ change, undoes, subject, at }, index) => ({
      id: change,
      at,
      by: subject,
      own: subject === identity.subject,
      ...(typeof undoes === 'string' && { undoes }),
      cells: cells[index]?.map(({ field, ...cell }) => ({
        field,
        label: translate(columns.get(field)?.definition.label ?? field, context.language),
        ...cell,
      })),
    })),
    next: rows.length > limit ? position.seal(entries.at(-1)?.id ?? '') : null,
  }
}

const toEntry = (
  [id, change, undoes, subject, cells, at]: readonly unknown[],
  present: ReadonlyMap<string, string>,
): Entry => ({
  id: String(id),
  change: String(change),
  undoes,
  subject: String(subject),
  at: String(at),
  cells: presentCells<Entry['cells'][string]>(present, JSON.parse(String(cells))),
})

/**
 * Whether a column shows an attribute of the table itself, whose changes the audit may have. A computed value may hide
 * a part of what an attribute of its name has held.
 */
const isStored = ({ source }: CompiledColumn): boolean =>
  source !== undefined && source.join === undefined && source.kind !== 'unknown'

/** Whether the history hides the values of a column: it is sensitive, or its `format` may hide a part of them. */
const isRedacted = ({ definition }: CompiledColumn): boolean => definition.sensitive === true || isFormatted(definition)

/** A cell, and the place of its first value; absent for one that is redacted. */
interface CellPlace {
  readonly field: string
  readonly at: number | undefined
}

async function describeCells(
  request: TableRequest,
  entries: readonly Entry[],
  columns: ReadonlyMap<string, CompiledColumn>,
) {
  const values: StoredValue[] = []
  const places = entries.map(({ cells }) =>
    Object.entries(cells).flatMap(([field, { before, after }]): readonly CellPlace[] => {
      const column = columns.get(field)
      if (column === undefined) return []
      if (isRedacted(column) || before === undefined || after === undefined) return [{ field, at: undefined }]
      const at = values.push({ column, text: before }, { column, text: after }) - 2
      return [{ field, at }]
    }),
  )
  const formatted = await formatStored(request, values)
  return places.map((cells) =>
    cells.map(({ field, at }) => {
      const [before, after] = at === undefined ? [] : formatted.slice(at, at + 2)
      return before === undefined || after === undefined ? { field, redacted: true } : { field, before, after }
    }),
  )
}

/**
 * Seals positions for the caller, the table and the row: the difference of two ids would tell how many changes others
 * have made in between, and the length of a short one how many there are.
 */
function sealPositions({ config: { SERVICE_SECRET: secret }, identity, table }: TableRequest, key = '') {
  const context = `history\n${JSON.stringify([table.name, identity.subject, key])}`
  return {
    seal: (id: string) => sealText(secret, context, id.padStart(maxId.length, '0')),
    open: (sealed: string) => openText(secret, context, sealed),
  }
}

function readListing(
  { query }: TableRequest,
  open: (sealed: string) => string | undefined,
): { readonly limit: number; readonly before: string } {
  const given = new URLSearchParams(query)
  const limit = given.get('limit') ?? String(defaultLimit)
  const sealed = given.get('before')
  const before = sealed === null ? maxId : open(sealed)
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > maxLimit)
    throw validationFailed({ limit: [fieldFault('not_whole', { min: 1, max: maxLimit })] })
  if (before === undefined) throw validationFailed({ before: [notNext] })
  return { limit: Number(limit), before }
}

const maxId = String(2n ** 63n - 1n)

const notNext: Bilingual = {
  en: 'must be the unchanged "next" of a response about the same row',
  ar: 'يجب أن يكون next من استجابة عن الصف نفسه دون تغيير',
}

/** A value of a cell as Postgres has written it. */
interface StoredValue {
  readonly column: CompiledColumn
  readonly text: string | null
}

/**
 * Formats stored values as the table shows them. JSON and lists stay the texts that they are, and so does a value that
 * its column can no longer hold. It is `undefined` where the column may hide a part of it.
 */
async function formatStored(
  request: TableRequest,
  values: readonly StoredValue[],
): Promise<readonly (KeyCell | undefined)[]> {
  const readable = new Map(await formatReadable(request, [...values.entries()]))
  return Promise.all(values.map((value, n) => readable.get(n) ?? formatText(value, request.context.language)))
}

async function formatText({ column, text }: StoredValue, language: Language): Promise<KeyCell | undefined> {
  if (hasPattern(column)) return undefined
  if (text === null || column.type !== 'html') return { value: text, text: text ?? '-' }
  const { sanitiseHtml } = await import('../rows/sanitise-html.ts')
  return { value: sanitiseHtml(text), text: String(await cellText(column, text, language)) }
}

type PlacedValue = readonly [place: number, value: StoredValue]
type PlacedCell = readonly [place: number, cell: KeyCell]

/**
 * Formats the values that Postgres can read as their columns. Takes the columns apart if it cannot read one, and halves
 * the values of such a column until those that it cannot read stand alone.
 */
async function formatReadable(request: TableRequest, values: readonly PlacedValue[]): Promise<readonly PlacedCell[]> {
  try {
    return await formatAll(request, values)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    if (values.length === 1) return []
    const byColumn = [...Map.groupBy(values, ([, { column }]) => column.key).values()]
    const middle = Math.ceil(values.length / 2)
    const parts = byColumn.length > 1 ? byColumn : [values.slice(0, middle), values.slice(middle)]
    return (await Promise.all(parts.map((part) => formatReadable(request, part)))).flat()
  }
}

/** The type of a column may have changed since, and with it what Postgres reads. */
function isUnreadable(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return isServerError(cause) && cause.code.startsWith('22')
}

/** Formats values by one statement, without those of JSON, lists and HTML. */
async function formatAll(
  { database, view, context: { timeZone, language } }: TableRequest,
  values: readonly PlacedValue[],
): Promise<readonly PlacedCell[]> {
  const columns = new Set(values.map(([, { column }]) => column).filter(hasGroups))
  const keys = new Map([...columns].map((column) => [column.key, createKey(view, column, timeZone)]))
  if (keys.size === 0) return []
  const statement = createStatement()
  const given = values.map(([n, { column, text }]) => ({ n, field: column.key, value: text }))
  const list = `(${bind(statement, JSON.stringify(given))}::text)::jsonb`
  const parts = [...keys].map(([name, key]) => {
    const texts = keyTexts(statement, key, 'x', timeZone)
    const field = bind(statement, name)
    return `select n, field, ${texts.join(', ')} from (select n, field, ${key.expression(statement)} as x from given where field = ${field}) one`
  })
  const text = `with given as (select * from jsonb_to_recordset(${list}) as one (n integer, field text, value text))
    ${parts.join(' union all ')}`
  const rows = await database.read(text, statement.parameters)
  return Promise.all(
    rows.map(async ([n, field, ...texts]): Promise<PlacedCell> => {
      const shown = texts.slice(0, textsPerKey).map((one) => (one === null ? null : String(one)))
      return [Number(n), await formatKey(keys.get(String(field)) as GroupKey, shown, language)]
    }),
  )
}

function createKey(view: TableView, column: Parameters<typeof hasGroups>[0], timeZone: string): GroupKey {
  const type = column.source?.sqlType ?? 'text'
  const source = column.source && { ...column.source, expression: () => `value::${type}` }
  const stored = { ...view, columns: [{ ...column, source }] }
  const [key] = planGroupKeys(stored, [{ field: column.key }], { timeZone, tableZone: timeZone })
  if (key === undefined) throw new Error(`the column "${column.key}" has no values`)
  return key
}
