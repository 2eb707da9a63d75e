import { is, isSQLWrapper, SQL, Subquery } from 'drizzle-orm'

/**
 * The names that an SQL expression reads: `table.column`, `table.*` for whole rows, `?.column` if the table is
 * uncertain.
 */
export type ExpressionReads = ReadonlySet<string>

/** Texts and comments, which name nothing; else one name with all of its parts, or a mark. */
const lexeme =
  /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\$((?:[A-Za-z_]\w*)?)\$.*?\$\1\$|--[^\n\r]*|\/\*|(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)(?:\s*\.\s*(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*|\*))*|[(),*]/gsu

const part = /"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*)|(\*)/gu

/** Words that stand behind a table in FROM and are no alias of it. */
const afterTable = new Set(
  'where on using left right inner full cross natural join group order having limit offset union except intersect for window fetch tablesample lateral'.split(
    ' ',
  ),
)

const tablePlaces = new Set(['from', 'join', 'lateral', 'only'])

/**
 * Finds what the text of an expression over `table` reads. Where two readings are possible it takes both, because what
 * it misses could reveal a hidden column. It does not look into functions and views of the database.
 */
export function expressionReads(text: string, table: string): ExpressionReads {
  const words = listWords(text)
  const tables = tablesIn(words)
  const findTables = (name: string) => [name, ...(tables.aliases.get(name) ?? [])]
  const isPlain = !words.some(({ opensTables, parts: [first] }) => opensTables && first === 'from')
  const reads = new Set(tables.whole.map((whole) => `${whole}.*`))
  for (const [at, { parts, after }] of words.entries()) {
    const [name = '', qualifier] = parts.toReversed()
    if (qualifier !== undefined) for (const owner of findTables(qualifier)) reads.add(`${owner}.${name}`)
    else if (name === '*') {
      // Any other star multiplies, or counts.
      if (after === ',' || after?.toLowerCase() === 'from') reads.add('?.*')
    } else if (after !== '(') {
      reads.add(`${isPlain ? table : '?'}.${name}`)
      // A table's name by itself is a whole row, unless it stands in FROM.
      if (!words[at - 1]?.opensTables) for (const owner of findTables(name)) reads.add(`${owner}.*`)
    }
  }
  return reads
}

/** Returns whether the text of an expression calls a window function outside of its subqueries. */
export function callsWindowFunction(text: string): boolean {
  const lexemes = listLexemes(text)
  const groups: boolean[] = []
  for (const [at, word] of lexemes.entries()) {
    const isInQuery = groups.at(-1) === true
    if (word === '(') groups.push(isInQuery || /^(select|with)$/i.test(lexemes[at + 1] ?? ''))
    else if (word === ')') groups.pop()
    else if (/^over$/i.test(word) && lexemes[at - 1] === ')' && lexemes[at + 1] === '(' && !isInQuery) return true
  }
  return false
}

interface Word {
  readonly parts: readonly string[]
  /** The lexeme that follows. */
  readonly after: string | undefined
  /** A table follows for certain: `extract(year from ...)` and `is distinct from ...` are no such places. */
  readonly opensTables: boolean
  readonly group: Group
}

/** The facts about a pair of parentheses, or about the whole text: whether `select` or `join` is directly in it. */
interface Group {
  isQuery: boolean
  isJoin: boolean
}

function listWords(text: string): readonly Word[] {
  const words: Word[] = []
  const groups: Group[] = [{ isQuery: false, isJoin: false }]
  const lexemes = listLexemes(text)
  for (const [at, word] of lexemes.entries()) {
    if (word === '(') groups.push({ isQuery: false, isJoin: false })
    else if (word === ')') groups.pop()
    const group = groups.at(-1)
    if (/^[(),]/.test(word) || group === undefined) continue
    const parts = listParts(word)
    const [name = ''] = parts
    group.isQuery ||= name === 'select'
    group.isJoin ||= name === 'join'
    const isClause = name !== 'from' || (group.isQuery && words.at(-1)?.parts[0] !== 'distinct')
    words.push({ parts, after: lexemes[at + 1], opensTables: tablePlaces.has(name) && isClause, group })
  }
  return words
}

function listLexemes(text: string): readonly string[] {
  const found: string[] = []
  const scan = new RegExp(lexeme)
  for (let match = scan.exec(text); match !== null; match = scan.exec(text)) {
    if (match[0] === '/*') scan.lastIndex = endOfComment(text, scan.lastIndex)
    else if (!/^(?:[eE]?'|\$|--)/.test(match[0])) found.push(match[0])
  }
  return found
}

/** Finds the end of a comment, in which others may be nested. */
function endOfComment(text: string, start: number): number {
  let depth = 1
  for (const { 0: mark, index } of text.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1
    if (depth === 0) return start + index + mark.length
  }
  return text.length
}

/** Postgres folds names to lower case unless they are quoted. */
const listParts = (word: string): readonly string[] =>
  [...word.matchAll(part)].map(
    ([, quoted, plain, star]) => quoted?.replaceAll('""', '"') ?? plain?.toLowerCase() ?? star ?? '',
  )

interface Tables {
  /** The tables of FROM and JOIN by what they are called there, which may differ from one subquery to the next. */
  readonly aliases: ReadonlyMap<string, ReadonlySet<string>>
  /** Tables whose columns go by other names, or are not named at all. */
  readonly whole: readonly string[]
}

function tablesIn(words: readonly Word[]): Tables {
  const aliases = new Map<string, Set<string>>()
  const whole: string[] = []
  // Joined tables in parentheses can have one alias together, and a natural join names no column that it compares.
  const isAnyWhole = words.some(({ parts: [name], group }) => name === 'natural' || (group.isJoin && !group.isQuery))
  for (const [at, { parts, after }] of words.entries()) {
    const [before = ''] = words[at - 1]?.parts ?? []
    if (!tablePlaces.has(before)) continue
    const table = parts.at(-1) ?? ''
    const isSkipped = ['as', '*'].includes(words[at + 1]?.parts[0] ?? '')
    const next = words[at + (isSkipped ? 2 : 1)]
    const alias = next?.parts.length === 1 && (after !== ')' || before === 'only') ? next.parts[0] : undefined
    if (isAnyWhole) whole.push(table)
    if (alias === undefined || afterTable.has(alias)) continue
    aliases.set(alias, (aliases.get(alias) ?? new Set()).add(table))
    if (next?.after === '(') whole.push(table)
  }
  return { aliases, whole }
}

/**
 * Everything that an expression is made of, itself included: nested expressions, columns, tables, texts and parameters.
 */
export function expressionParts(chunk: unknown): readonly unknown[] {
  if (Array.isArray(chunk)) return chunk.flatMap(expressionParts)
  if (is(chunk, SQL)) return [chunk, ...chunk.queryChunks.flatMap(expressionParts)]
  if (is(chunk, SQL.Aliased)) return expressionParts(chunk.sql)
  if (is(chunk, Subquery)) return [chunk, ...expressionParts(chunk._.sql)]
  if (!isSQLWrapper(chunk)) return [chunk]
  const made = chunk.getSQL()
  // A value without parts is its own wrapper. `includes` only compares, so the type of the value does not matter.
  return is(made, SQL) && made.queryChunks.includes(chunk as never) ? [chunk] : expressionParts(made)
}
