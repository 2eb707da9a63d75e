import { type SQL, sql } from 'drizzle-orm'

/**
 * All of the conditions. `undefined` ones are left out. Unlike drizzle's it cannot fail open: with none left it is
 * `false`, never "no condition at all".
 */
export function and(...conditions: readonly (SQL | undefined)[]): SQL {
  return joinConditions(conditions, ' and ')
}

/** Any of the conditions. `undefined` ones are left out; with none left it is `false`. */
export function or(...conditions: readonly (SQL | undefined)[]): SQL {
  return joinConditions(conditions, ' or ')
}

function joinConditions(conditions: readonly (SQL | undefined)[], word: ' and ' | ' or '): SQL {
  const given = conditions.filter((condition) => condition !== undefined)
  if (given.length === 0) return sql`false`
  return sql`(${sql.join(
    given.map((condition) => sql`(${condition})`),
    sql.raw(word),
  )})`
}
