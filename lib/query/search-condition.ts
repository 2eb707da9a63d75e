import { bind, type Statement } from '../db/statement.ts'
import type { Join, Source } from '../table/source.ts'
import { type Condition, escapeLike } from './compare.ts'
import type { SearchTerm } from './plan-extensions.ts'

/** Returns the text of a source as searches compare it. Indexes are on this expression. */
export const foldedText = (source: Source, statement: Statement): string =>
  `table_control.fold_text(${source.expression(statement)})`

/** The characters before a word, written out, because the locales of databases differ in their letters. */
const wordBreaks =
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf\\u00d7\\u00f7' +
  '\\u060c\\u061b\\u061f\\u066a-\\u066d\\u06d4\\u2000-\\u206f\\u2e00-\\u2e7f\\u3000-\\u3003\\u3008-\\u3011'

/** Returns the pattern of a term: of `~` where it must begin a word, else of `like`. */
export const termPattern = ({ folded, beginsWord }: SearchTerm): string =>
  beginsWord ? `(^|[${wordBreaks}])${escapeRegex(folded)}` : `%${escapeLike(folded)}%`

/**
 * Matches rows with the term in one of the sources. Those of a relation are looked for in its table first, which gives
 * a list of keys: a condition over joined tables could use no index.
 */
export const findTerm =
  (term: SearchTerm, sources: readonly Source[]): Condition =>
  (statement) => {
    const match = `${term.beginsWord ? '~' : 'like'} ${bind(statement, termPattern(term))}`
    const write = (source: Source) => `${foldedText(source, statement)} ${match}`
    return `(${matchesIn(undefined, sources, { write, isShort: term.beginsWord }).join(' or ')})`
  }

const escapeRegex = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, '\\$&')

interface TermMatch {
  readonly write: (source: Source) => string
  /** Whether no index finds the term. */
  readonly isShort: boolean
}

/** Returns the conditions on a table, or on a relation, of which one must hold. */
function matchesIn(parent: Join | undefined, sources: readonly Source[], match: TermMatch): readonly string[] {
  const own = sources.filter(({ join }) => join === parent)
  const below = new Map<Join, Source[]>()
  for (const source of sources) {
    const next = stepTowards(source.join, parent)
    if (next !== undefined) below.set(next, [...(below.get(next) ?? []), source])
  }
  const keys = [...below].map(([join, found]) => {
    const matches = matchesIn(join, found, match).join(' or ')
    return parent === undefined && !match.isShort && join.pairs.length === 1
      ? fewOrManyKeys(join, matches)
      : keysWhere(join, matches, match)
  })
  return [...own.map(match.write), ...keys]
}

/** Returns the join on the way from `parent` to `join`; `undefined` where there is none. */
function stepTowards(join: Join | undefined, parent: Join | undefined): Join | undefined {
  if (join === undefined || join === parent || join.parent === parent) return join === parent ? undefined : join
  return stepTowards(join.parent, parent)
}

function keysWhere({ table, pairs }: Join, matches: string, { isShort }: TermMatch): string {
  const [related, local] = [0, 1].map((side) => pairs.map((pair) => pair[side]).join(', '))
  const keys = `select ${related} from ${table} where ${matches}`
  // An array is read once, before the rows, and so an index on the local column can serve it. Where all rows are read,
  // each would be compared with all of its keys, of which a short term finds many: those are hashed.
  return pairs.length === 1 && !isShort ? `${local} = any(array(${keys}))` : `(${local}) in (${keys})`
}

/** The most keys of an array. Postgres compares many rows with each of them, even where an index has found the rows. */
const maxKeys = 2_000

/**
 * Matches the keys of a relation by an array where they are few, and else by their hashes. An index on the local column
 * can serve both: the bounds of the hashed ones hold for all keys, and for none where these are few.
 */
function fewOrManyKeys({ table, pairs: [[related, local] = ['', '']] }: Join, matches: string): string {
  const from = `from ${table} where`
  const areMany = `exists (select ${from} ${matches} offset ${maxKeys})`
  const bound = (order: string) => `(select ${related} ${from} ${related} is not null and ${areMany} ${order} limit 1)`
  const [least, most] = ['', ' desc'].map((direction) => bound(`order by ${related}${direction}`))
  const many = `${local} >= ${least} and ${local} <= ${most} and ${local} in (select ${related} ${from} ${matches})`
  return `(${many}) or ${local} = any(array(select ${related} ${from} (${matches}) and not ${areMany}))`
}
