import { is, SQL } from 'drizzle-orm'
import { createStatement, renderSql } from '../../../lib/db/statement.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { isEveryRow } from '../../../lib/table/define-table.ts'
import type { Source } from '../../../lib/table/source.ts'
import { tellsOwner } from '../owner-columns.ts'
import { createFinding, type Finding } from './finding.ts'

const nobody = { subject: 'somebody', email: undefined, claims: {} }

/** Finds a scope that is not written yet, or shows every row of a table whose columns name the owner of a row. */
export function lintScope(table: CompiledTable): readonly Finding[] {
  const scope = callScope(table, nobody)
  if (scope === undefined) return []
  const owners = [...table.sources.values()].filter(({ key, join }) => join === undefined && tellsOwner(key))
  const [owner] = owners
  if (isEveryRow(scope) && owner !== undefined) {
    const text = `everybody sees every row, and ${owners.map(({ key }) => key).join(', ')} seems to say whose a row is`
    const fix = `compare it with a claim: ({ identity: { claims } }) => eq(….${owner.key}, claims.${owner.key})`
    return [createFinding(table, 'scope', 'scope', { text, fix })]
  }
  if (!isEveryRow(scope) && /^\(*false\)*$/.test(renderSql(createStatement(), scope))) {
    const fix = 'write a condition, such as eq(….tenant, claims.tenant), or everyRow where everybody may see every row'
    return [createFinding(table, 'scope', 'scope', { text: 'it is not written yet: no caller sees a row', fix })]
  }
  return []
}

const claimed = 'a claim of the caller'
const somebody = { ...nobody, claims: new Proxy({}, { get: () => claimed }) }

/** Returns the columns that a scope compares with claims by `=`, if all of its conditions must hold. */
export function findClaimedSources(table: CompiledTable): readonly Source[] {
  const scope = callScope(table, somebody)
  if (scope === undefined || isEveryRow(scope)) return []
  const statement = createStatement()
  const text = renderSql(statement, scope)
  if (/\b(or|not|case)\b/i.test(text)) return []
  const found = [...text.matchAll(/((?:"[^"]+"\.)*"[^"]+") = \$(\d+)/g)].flatMap(([, column = '', place]) =>
    statement.parameters[Number(place) - 1] === claimed ? column : [],
  )
  return [...table.sources.values()].filter(
    ({ join, expression }) => join === undefined && found.includes(expression(createStatement())),
  )
}

/** Returns the scope of a caller; `undefined` if it needs claims or params that are missing. */
function callScope({ definition }: CompiledTable, identity: object): SQL | undefined {
  try {
    const context = { identity, params: undefined, language: 'en', guard: 'api' }
    // A scope that needs claims or params fails on what is missing here, which is caught.
    const scope: unknown = definition.scope(context as unknown as Parameters<typeof definition.scope>[0])
    return is(scope, SQL) ? scope : undefined
  } catch {
    return undefined
  }
}
