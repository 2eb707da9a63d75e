/** What an SQL expression reads: `table.column`, `table.*` for whole rows, `?.column` where the table is not certain. */
export type ExpressionReads = ReadonlySet<string>

/** Texts and comments, which name nothing; else one name with all of its parts, or a mark. */
const lexeme =
  /[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|\$((?:[A-Za-z_]\w*)?)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)(?:\s*\.\s*(?:"(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*|\*))*|[(*]/gsu

const part = /"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_$]*)|(\*)/gu

/** Words that stand behind a table in FROM and are no alias of it. */
const afterTable = new Set(
  'where on using left right inner full cross natural join group order having limit offset union except intersect for window fetch tablesample lateral'.split(
    ' ',
  ),
)

const tablePlaces = new Set(['from', 'join', 'lateral', 'only'])

/**
 * Finds what the text of an expression over `table` reads. Where two readings are possible it takes both, because what it misses
 * could reveal a hidden column. It does not look into functions of the database.
 */
export function expressionReads(text: string, table: string): ExpressionReads {
  const words = wordsOf(text)
  const aliases = aliasesIn(words)
  const isPlain = !words.some(({ parts: [first] }) => first === 'from')
  const reads = new Set<string>()
  for (const [at, { parts, isCalled }] of words.entries()) {
    const [name = '', qualifier] = parts.toReversed()
    const before = words[at - 1]?.parts[0] ?? ''
    if (tablePlaces.has(before)) continue
    if (name === '*') {
      // A star behind anything but SELECT and a dot multiplies, or counts.
      if (qualifier !== undefined) reads.add(`${aliases.get(qualifier) ?? qualifier}.*`)
      else if (before === 'select' || before === 'distinct') reads.add('?.*')
    } else if (qualifier !== undefined) reads.add(`${aliases.get(qualifier) ?? qualifier}.${name}`)
    else if (!isCalled) {
      reads.add(`${isPlain ? table : '?'}.${name}`)
      // A table's name by itself is a whole row.
      reads.add(`${aliases.get(name) ?? name}.*`)
    }
  }
  return reads
}

interface Word {
  readonly parts: readonly string[]
  /** An opening parenthesis follows. */
  readonly isCalled: boolean
}

function wordsOf(text: string): readonly Word[] {
  const found = [...text.matchAll(lexeme)].map(([word]) => word)
  return found.flatMap((word, at) =>
    /^(?:[eE]?'|\$|--|\/\*|\()/.test(word) ? [] : [{ parts: partsOf(word), isCalled: found[at + 1] === '(' }],
  )
}

/** Postgres folds names to lower case unless they are quoted. */
const partsOf = (word: string): readonly string[] =>
  [...word.matchAll(part)].map(
    ([, quoted, plain, star]) => quoted?.replaceAll('""', '"') ?? plain?.toLowerCase() ?? star ?? '',
  )

/** The tables of FROM and JOIN by what they are called there. */
function aliasesIn(words: readonly Word[]): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>()
  for (const [at, { parts }] of words.entries()) {
    if (!tablePlaces.has(words[at - 1]?.parts[0] ?? '')) continue
    const table = parts.at(-1) ?? ''
    const next = words[at + 1]?.parts[0] === 'as' ? words[at + 2] : words[at + 1]
    const alias = next?.parts.length === 1 ? next.parts[0] : undefined
    if (alias !== undefined && !afterTable.has(alias)) aliases.set(alias, table)
  }
  return aliases
}
