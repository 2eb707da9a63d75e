import type { SaxesTagPlain } from 'saxes'
import { type Archive, unreadable } from './unpack-file.ts'

/** The most characters between two tags, which the parser keeps. */
export const maxTagDistance = 1_024 * 1_024
/** The parser keeps each element that is open. */
const maxDepth = 64

/** The functions that a parser calls for elements and texts; names are without their prefixes. */
export interface PartHandlers {
  readonly open?: (name: string, attributes: SaxesTagPlain['attributes']) => void
  readonly text?: (text: string) => void
  readonly close?: (name: string) => void
}

/**
 * Parses an entry and yields after each chunk. Throws `import_unreadable` for what a workbook never has: a document
 * type, tags that are too deep or too far apart, and more than `maxCharacters`.
 */
export async function* parsePart(
  archive: Archive,
  part: string,
  { open, text, close }: PartHandlers,
  maxCharacters = Number.POSITIVE_INFINITY,
): AsyncGenerator<void> {
  // A bundle has the exports of a CommonJS package under `default` alone.
  const { default: saxes } = await import('saxes')
  const parser = new saxes.SaxesParser({ position: false })
  const bare = (name: string) => name.slice(name.indexOf(':') + 1)
  const fail = () => {
    throw unreadable(undefined)
  }
  let depth = 0
  let sinceTag = 0
  let characters = 0
  parser.on('opentag', (tag) => {
    ;[depth, sinceTag] = [depth + 1, 0]
    if (depth > maxDepth) fail()
    open?.(bare(tag.name), (tag as SaxesTagPlain).attributes)
  })
  parser.on('text', (value) => text?.(value))
  parser.on('cdata', (value) => text?.(value))
  parser.on('closetag', (tag) => {
    ;[depth, sinceTag] = [depth - 1, 0]
    close?.(bare(tag.name))
  })
  parser.on('doctype', fail)
  parser.on('error', fail)
  const decoder = new TextDecoder()
  for await (const chunk of archive.read(part)) {
    const written = decoder.decode(chunk, { stream: true })
    parser.write(written)
    sinceTag += written.length
    characters += written.length
    if (sinceTag > maxTagDistance || characters > maxCharacters) fail()
    yield
  }
  parser.close()
}

/** Parses to the end. */
export async function drain(steps: AsyncIterable<void>): Promise<void> {
  for await (const _ of steps);
}
