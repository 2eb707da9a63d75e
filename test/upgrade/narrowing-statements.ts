/** Statements that may break functions of the version before: they drop, rename, or require more of a row. */
const narrowing: readonly (readonly [rule: string, pattern: RegExp])[] = [
  ['removes a table', /\bdrop\s+(table|schema|view|type)\b/i],
  ['removes a column', /\bdrop\s+column\b/i],
  ['renames', /\brename\s+(to|column|constraint|value)\b/i],
  ['changes the type of a column', /\balter\s+(column\s+)?\S+\s+(set\s+data\s+)?type\b/i],
  ['asks for a value in a column that was optional', /\bset\s+not\s+null\b/i],
  ['removes a default', /\bdrop\s+default\b/i],
  [
    'adds a column that must be filled',
    /\badd\s+column\b(?![^;]*\bdefault\b)(?![^;]*\bgenerated\b)[^;]*\bnot\s+null\b/i,
  ],
  ['takes rights away', /\brevoke\b/i],
]

const statements = (text: string): readonly string[] =>
  text
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/--(?!> statement-breakpoint).*$/gm, '')
    .split(/;|--> statement-breakpoint/)

/** Whether a statement is about the rights on what the same migration creates: no version before has them. */
function isAboutNew(text: string, statement: string): boolean {
  const [, name] = /\bon\s+(?:function\s+|table\s+)?([\w".]+)/i.exec(statement) ?? []
  const created = text.matchAll(/\bcreate\s+(?:function|table)\s+([\w".]+)/gi)
  return [...created].some(([, one]) => one === name)
}

/** Names what a migration takes away from functions that are still at work; empty where it only adds. */
export const narrowingStatements = (text: string): readonly string[] =>
  statements(text).flatMap((statement) =>
    narrowing.flatMap(([rule, pattern]) =>
      pattern.test(statement) && !(rule === 'takes rights away' && isAboutNew(text, statement))
        ? [`${rule}: ${statement.trim()}`]
        : [],
    ),
  )

/** The version since which no function uses what the migration takes away, as its first line says. */
export const readContract = (text: string): string | undefined => /^-- contract: unused since (\S+)\n/.exec(text)?.[1]
