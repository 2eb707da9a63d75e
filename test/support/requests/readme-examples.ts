import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** A request that functions/README.md shows, and the part of its response that is printed there. */
export interface ReadmeExample {
  readonly line: number
  readonly path: string
  readonly body: unknown
  readonly response: unknown
}

const page = readFileSync(new URL('../../../functions/README.md', import.meta.url), 'utf8').split('\n')

/**
 * Returns the examples of a section of functions/README.md. Its JSON blocks are pairs of a request and its response,
 * but for refusals, which stand alone. A request is one of query-table, unless the text before it names another.
 */
export function readmeExamples(heading: string): readonly ReadmeExample[] {
  const blocks = jsonBlocks(heading).filter(({ json }) => (json as { success?: boolean }).success !== false)
  const requests = blocks.filter((_, index) => index % 2 === 0)
  return requests.map(({ line, path, json }, index) => {
    const response = blocks[index * 2 + 1]?.json
    if (response === undefined) throw new Error(`functions/README.md:${line}: the request has no response`)
    return { line, path: path ?? 'query-table/bird_strikes', body: json, response }
  })
}

// biome-ignore lint/suspicious/noExplicitAny: tests read into samples whose shape is what they document
type Sample = Readonly<Record<string, any>> | undefined

/** Returns the JSON blocks of a section of functions/README.md, requests and responses alike. */
export const readmeSamples = (heading: string): readonly Sample[] =>
  jsonBlocks(heading).map(({ json }) => json as Sample)

/** Returns the first block of a language in a section of functions/README.md. */
export function readmeBlock(heading: string, language: 'csv' | 'http'): string {
  const start = page.indexOf(`\`\`\`${language}`, page.indexOf(heading)) + 1
  return page.slice(start, page.indexOf('```', start)).join('\n')
}

/** Returns the keys of a response or a sample, at any depth; of a list, those of its first entry. */
export function nestKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(nestKeys)
  if (typeof value !== 'object' || value === null) return 'a value'
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, nestKeys(one)]))
}

/** Returns the headers that a section of functions/README.md shows, and of those of a response the same ones. */
export function readmeHeaders(heading: string, headers: Readonly<Record<string, string | undefined>>) {
  const shown = readmeBlock(heading, 'http')
    .split('\n')
    .map((line) => line.split(/: (.*)/).slice(0, 2) as [string, string])
  return {
    expected: Object.fromEntries(shown),
    received: Object.fromEntries(shown.map(([name]) => [name, headers[name]])),
  }
}

function jsonBlocks(heading: string) {
  const start = page.indexOf(heading)
  if (start < 0) throw new Error(`functions/README.md has no "${heading}"`)
  const level = heading.indexOf(' ')
  const blocks: { readonly line: number; readonly path: string | undefined; readonly json: unknown }[] = []
  let path: string | undefined
  for (let index = start + 1; index < page.length; index += 1) {
    const text = page[index] ?? ''
    if (/^#+ /.test(text) && text.indexOf(' ') <= level) break
    path = /`POST ([^`]+)`/.exec(text)?.[1] ?? path
    if (text !== '```json') continue
    const end = page.indexOf('```', index)
    blocks.push({ line: index + 1, path, json: JSON.parse(page.slice(index + 1, end).join('\n')) })
    index = end
    path = undefined
  }
  return blocks
}

const isMade = (text: string) => text.includes('…') || /^https?:|^[\da-f]{8}-[\da-f]{4}-/.test(text)
const isMoment = (path: string) => /\.(at|created_at|updated_at|expires_at)$|^\.resolved\..*\.(from|to)$/.test(path)
const digitless = (text: string) => text.replaceAll(/\d/g, '0')

/**
 * Checks responses against what is printed. `{}` stands for any object and, at the end of a list, for the rest of it. A
 * text with `…` stands for a token, and an id or a moment for one of the run. What is not printed is not compared.
 * `fill` puts the tokens and ids of the run into a request.
 */
export function exampleRun() {
  const made = new Map<string, unknown>()
  const compare = (real: unknown, printed: unknown, path: string): void => {
    if (typeof printed === 'string' && isMade(printed)) {
      expect(real, path).toEqual(expect.any(String))
      made.set(printed, real)
    } else if (typeof printed === 'string' && isMoment(path)) {
      expect(digitless(String(real)), path).toBe(digitless(printed))
    } else if (Array.isArray(printed) && printed[0] === '...') {
      expect(real, path).toEqual(expect.any(Array))
    } else if (Array.isArray(printed)) {
      const listed = isEmptyObject(printed.at(-1)) ? printed.slice(0, -1) : printed
      if (listed === printed) expect(real, path).toHaveLength(printed.length)
      for (const [index, entry] of listed.entries()) compare(at(real, index), entry, `${path}.${index}`)
    } else if (typeof printed === 'object' && printed !== null) {
      expect(real, path).toEqual(expect.any(Object))
      for (const [key, value] of Object.entries(printed))
        if (key !== '...') compare(at(real, key), value, `${path}.${key}`)
    } else expect(real, path).toBe(printed)
  }
  return {
    compare: (real: unknown, printed: unknown) => compare(real, printed, ''),
    fill: (body: unknown): unknown =>
      JSON.parse(JSON.stringify(body), (_, value) => (typeof value === 'string' ? (made.get(value) ?? value) : value)),
  }
}

const isEmptyObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

const at = (value: unknown, key: string | number) => (value as Readonly<Record<string, unknown>> | null)?.[key]
