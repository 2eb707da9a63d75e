import { describe, expect, it } from 'vitest'
import { findHabits, type Habit, listSources, readSource, rules } from './source-language.ts'

/** The folders whose wording this test keeps. */
const folders = ['functions', 'tables', 'infra', 'lib', 'test'] as const

/** The places that may break a rule, by file and words, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {}

const place = ({ file, words }: Habit): string => `${file}: ${words}`

const habitsByFolder = folders.map((folder) => {
  const habits = listSources(folder).flatMap((file) => findHabits(file, readSource(file)))
  return [folder, habits] as const
})

describe.each(habitsByFolder)('the source text of %s', (_, habits) => {
  it.each(Object.keys(rules))('keeps the rule: %s', (rule) => {
    const broken = habits.filter((habit) => habit.rule === rule && !Object.hasOwn(exceptions, place(habit)))
    expect(broken.map(({ file, line, words }) => `${file}:${line} ${words}`)).toEqual([])
  })
})

it('has no exception for a place that keeps the rules', () => {
  const places = new Set(habitsByFolder.flatMap(([, habits]) => habits.map(place)))
  expect(Object.keys(exceptions).filter((exception) => !places.has(exception))).toEqual([])
})

describe('the rules find', () => {
  it.each([
    ['a doc comment that opens with a relative clause', '/** What a caller gets. */\nexport const page = 1'],
    ['a doc comment of several lines', '/**\n * Of a table, the rows.\n */\nexport const page = 1'],
    ['a function called by a genitive', 'export function labelOf(name: string) { return name }'],
    ['an arrow function called by a genitive', 'const labelOf = (name: string) => name'],
    ['a function of an object called by a genitive', 'const texts = { labelOf: (name: string) => name }'],
    ['a function of a type called by a genitive', 'interface Texts { readonly labelOf: (name: string) => string }'],
    ['a function called by a participle', 'function settled() {}'],
    ['a limit called by a superlative', 'const longestName = 100'],
    ['a comment that cites a document elsewhere', '// As specification 4.2 says.\nconst page = 1'],
    ['a title that continues another one', "it('and so is the next one', () => {})"],
    ['a title of several cases that continues another one', "it.each([1])('nor does %s', () => {})"],
    ['a comment that is wider than a screen', `// ${'word '.repeat(24)}\nconst page = 1`],
    ['an object that is spread where it is written', 'const page = { ...{ first: 1, size: 2 }, total: 3 }'],
    ['a text that cites a document elsewhere', "it('keeps wire contract 4', () => {})"],
  ])('%s', (_, source) => {
    expect(findHabits('probe.ts', source)).toHaveLength(1)
  })

  it.each([
    ['a doc comment that opens with a verb', '/** Returns what a caller gets. */\nexport const page = 1'],
    ['a comment in a body', 'export const page = () => {\n  // What comes last wins.\n  return 1\n}'],
    ['a name that is no function', 'const valueOf = 1, partOf = "x"'],
    ['a noun phrase with a participle', 'const sharedLimits = () => []'],
    ['a title that stands alone', "it('rejects an expired cursor', () => {})"],
    ['an object that is spread under a condition', 'const page = (size?: number) => ({ ...(size && { size }) })'],
    ['a limit that begins with max', 'const maxNameLength = 100'],
  ])('the rules find nothing in %s', (_, source) => {
    expect(findHabits('probe.ts', source)).toEqual([])
  })
})
