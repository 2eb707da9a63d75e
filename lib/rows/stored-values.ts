import type { Database } from '../db/database.ts'
import { isServerError } from '../db/database-error.ts'
import { bind, createStatement } from '../db/statement.ts'
import type { Language } from '../i18n/language.ts'
import { type GroupKey, hasGroups, planGroupKeys } from '../query/group-keys.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { TableView } from '../table/view.ts'
import { formatKey, type KeyCell, keyTexts, textsPerKey } from './group-cell.ts'

/** A value of a cell as Postgres has written it. */
export interface StoredValue {
  readonly column: CompiledColumn
  readonly text: string | null
}

/**
 * Formats stored values as the table shows them, by one statement. A value that its column can no longer hold, JSON and lists stay the texts
 * that they are.
 */
export async function formatStored(
  { read }: Pick<Database, 'read'>,
  view: TableView,
  values: readonly StoredValue[],
  { timeZone, language }: { readonly timeZone: string; readonly language: Language },
): Promise<readonly KeyCell[]> {
  const columns = [...new Set(values.map(({ column }) => column))].filter(hasGroups)
  const keys = new Map(columns.map((column) => [column as CompiledColumn, createKey(view, column, timeZone)]))
  const asIs = values.map(({ text }) => ({ value: text, text: text ?? '-' }))
  if (keys.size === 0) return asIs
  const statement = createStatement()
  const given = values.map(({ column, text }, n) => ({ n, field: column.key, value: text }))
  const list = `(${bind(statement, JSON.stringify(given))}::text)::jsonb`
  const parts = [...keys].map(([{ key: name }, key]) => {
    const texts = keyTexts(statement, key, 'x', timeZone)
    const field = bind(statement, name)
    return `select n, ${texts.join(', ')} from (select n, ${key.expression(statement)} as x from given where field = ${field}) one`
  })
  const text = `with given as (select * from jsonb_to_recordset(${list}) as one (n integer, field text, value text))
    ${parts.join(' union all ')}`
  const rows = await read(text, statement.parameters).catch(unlessUnreadable)
  if (rows === undefined) return asIs
  const formatted = [...asIs] as KeyCell[]
  for (const [n, ...texts] of rows) {
    const at = Number(n)
    const key = keys.get(values[at]?.column as CompiledColumn)
    const shown = texts.slice(0, textsPerKey).map((one) => (one === null ? null : String(one)))
    if (key !== undefined) formatted[at] = await formatKey(key, shown, language)
  }
  return formatted
}

/** The type of a column may have changed since, and with it what Postgres reads. */
function unlessUnreadable(error: unknown): undefined {
  const cause = error instanceof Error ? error.cause : undefined
  if (!isServerError(cause) || !cause.code.startsWith('22')) throw error
}

function createKey(view: TableView, column: Parameters<typeof hasGroups>[0], timeZone: string): GroupKey {
  const type = column.source?.sqlType.replace(/^(big|small)?serial$/, '$1int') ?? 'text'
  const source = column.source && { ...column.source, expression: () => `value::${type}` }
  const stored = { ...view, columns: [{ ...column, source }] }
  const [key] = planGroupKeys(stored, [{ field: column.key }], { timeZone, tableZone: timeZone })
  if (key === undefined) throw new Error(`the column "${column.key}" has no values`)
  return key
}
