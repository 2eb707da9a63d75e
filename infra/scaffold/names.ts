import * as pgCore from 'drizzle-orm/pg-core'

/** The names of a database table in files and code. */
export interface Names {
  /** As the table is registered, and in URLs. */
  readonly table: string
  /** The file without its ending. */
  readonly file: string
  /** The constant of the drizzle table. */
  readonly schema: string
  /** The constant of the table file. */
  readonly definition: string
}

/** Throws where a name cannot become an identifier and a file name. */
export function createNames(table: string): Names {
  if (!/^[a-z][a-z0-9_]*$/i.test(table))
    throw new Error(
      `"${table}" cannot name a file and a constant: rename the table, with letters of a to z, digits and _ only`,
    )
  const schema = camelCase(table)
  return {
    table,
    file: table.toLowerCase().replaceAll('_', '-').replace(/-+$/, ''),
    schema: reserved.has(schema) ? `${schema}Rows` : schema,
    definition: `${schema}Table`,
  }
}

/** `bird_strikes` as `birdStrikes`, and `crm.stage` as `crmStage`. */
export function camelCase(name: string): string {
  const [first = '', ...rest] = name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  return [first, ...rest.map((part) => part.charAt(0).toUpperCase() + part.slice(1))].join('')
}

/** `bird_strikes` as `Bird strikes`; `customer_id` as `Customer`, unless one of the `others` has that label. */
export function englishLabel(name: string, others: readonly string[] = []): string {
  if (name.toLowerCase() === 'id') return 'ID'
  const taken = others.filter((other) => other !== name).map(toSentence)
  const labels = [toSentence(name.replace(/_id$/i, '')), toSentence(name)]
  return labels.find((label) => !taken.includes(label)) ?? name
}

function toSentence(name: string): string {
  const words = name.split('_').filter(Boolean).join(' ').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The placeholder for an Arabic text that is not written yet. `table:lint` finds it. */
const arabicPlaceholder = (english: string): string => `؟ ${english}`

/** A label in code, whose Arabic is still to be written. */
export const draftLabel = (english: string): string =>
  `{ en: ${JSON.stringify(english)}, ar: ${JSON.stringify(arabicPlaceholder(english))} }`

export const isArabicPlaceholder = (arabic: string): boolean => arabic.startsWith('؟ ')

/** An attribute or key as it stands before a colon. */
export const propertyName = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

/** An attribute behind a variable. */
export const property = (owner: string, name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `${owner}.${name}` : `${owner}[${JSON.stringify(name)}]`

const reserved: ReadonlySet<string> = new Set([
  // A schema file imports the builders that it uses.
  ...Object.keys(pgCore),
  ...(
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
    'implements import in instanceof interface let new null package private protected public return static super switch this ' +
    'throw true try typeof var void while with yield await arguments eval sql row searchIndex defineTable everyRow or'
  ).split(' '),
])
