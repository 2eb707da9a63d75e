import type { Sql } from 'postgres'

/**
 * Says how `like` falls short on a database because of the locale that it was created with; `undefined` where it does
 * not.
 */
export async function localeFault(sql: Sql): Promise<string | undefined> {
  const [found] = await sql<{ folds: boolean; ctype: string }[]>`
    select 'É' ilike 'é' as folds, datctype as ctype from pg_database where datname = current_database()`
  if (found?.folds === false) return 'like takes É and é for different letters: only those of ASCII have two cases'
  if (/^(C|POSIX)$/.test(found?.ctype ?? '')) return 'an index of trigrams finds no word of Arabic: LC_CTYPE is C'
  return undefined
}
