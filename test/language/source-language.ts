import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

const project = resolve(import.meta.dirname, '../..')

/** A habit of wording in one place of the source text. */
export interface Habit {
  readonly rule: keyof typeof rules
  /** The path of the file from the project's folder. */
  readonly file: string
  readonly line: number
  /** The name, or the beginning of the comment. */
  readonly words: string
}

export const rules = {
  'a doc comment opens with a verb in the third person or with the noun':
    /^(What|Who|Whom|Whose|Whoever|Whatever|Of|Nothing|Nobody)\b/,
  'a function is called by a verb':
    /^(?!(?:all|any|none|type|instance|value|index|lastIndex)Of$)(?!(?:one|\w+One)Of$)[a-z]\w*Of$/,
  'a function is not called by a participle alone':
    /^((?!(?:need|feed|embed|speed|seed|exceed|proceed|succeed)$)[a-z]+ed|told|brought|built|written|kept|held|sent|found|known|done|shown|chosen|given|taken|made|drawn|seen|lost)$/,
  'a limit begins with max or min': /^(most|longest|least|shortest|largest|smallest|greatest|fewest)(?!Recent)[A-Z]/,
  'a reference can be followed in the repository': /\b(wire contract|specification|spec|contract|clause) §? ?\d/i,
  'the title of a test is a sentence of its own':
    /^(and|nor|also|but|or|so|that|which|whose|because|why|of|from|without|as|by|at|after)\b/,
  'an object is not spread where it is written, to put its properties on one line': /^\.\.\.\{/,
  'a comment ends within 120 columns': /^(?!.*(?:biome-ignore|https?:)).{121}/m,
} as const

const [comment, called, participle, limit, reference, title, spread, width] = Object.keys(rules) as [
  keyof typeof rules,
  ...(keyof typeof rules)[],
]

/** The test of these rules, which quotes what they forbid. */
const ownTest = 'test/language/source-language.test.ts'

/** Lists the source files of a folder of the project. */
export const listSources = (folder: string): readonly string[] =>
  readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx)$/.test(entry.name))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)))
    .filter((file) => file !== ownTest && !file.includes('node_modules'))
    .sort()

/** Reads a source file of the project. */
export const readSource = (file: string): string => readFileSync(join(project, file), 'utf8')

/** Finds the habits in the source text of a file. Throws where it does not parse. */
export function findHabits(file: string, source: string): readonly Habit[] {
  const { program, comments, errors } = parseSync(file, source)
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`)
  const habits: Habit[] = []
  const check = (rule: keyof typeof rules | undefined, words: string, start: number) => {
    if (rule === undefined || !rules[rule].test(words)) return
    habits.push({ rule, file, line: source.slice(0, start).split('\n').length, words: words.slice(0, 80) })
  }
  for (const { type, value, start } of comments) {
    const text = value
      .replace(/^\*/, '')
      .replaceAll(/\s*\n\s*\*?\s*/g, ' ')
      .trim()
    if (type === 'Block' && value.startsWith('*')) check(comment, text, start)
    check(reference, text, start)
    const line = source.lastIndexOf('\n', start) + 1
    check(width, source.slice(line, start + value.length), start)
  }
  const checkFunction = (id: { readonly name: string; readonly start: number }) => {
    check(called, id.name, id.start)
    check(participle, id.name, id.start)
  }
  new Visitor({
    FunctionDeclaration: ({ id }) => {
      if (id !== null) checkFunction(id)
    },
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== 'Identifier') return
      check(limit, id.name, id.start)
      if (init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression') checkFunction(id)
    },
    Property: ({ key, value }) => {
      const isFunction = value.type === 'ArrowFunctionExpression' || value.type === 'FunctionExpression'
      if (key.type === 'Identifier' && isFunction) check(called, key.name, key.start)
    },
    TSPropertySignature: ({ key, typeAnnotation }) => {
      if (key.type === 'Identifier' && typeAnnotation?.typeAnnotation.type === 'TSFunctionType')
        check(called, key.name, key.start)
    },
    CallExpression: ({ callee, arguments: [text] }) => {
      const words = /^(?:it|test)\b/.test(source.slice(callee.start, callee.end)) ? text : undefined
      if (words?.type === 'Literal' && typeof words.value === 'string') check(title, words.value, words.start)
    },
    SpreadElement: ({ start, end }) => check(spread, source.slice(start, end), start),
    JSXSpreadAttribute: ({ start, end }) => check(spread, source.slice(start + 1, end), start),
    Literal: ({ value, start }) => {
      if (typeof value === 'string') check(reference, value, start)
    },
  }).visit(program)
  return habits
}
