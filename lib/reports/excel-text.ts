const mostCharacters = 32_767
const mostLineFeeds = 253

/** What XML cannot hold, what spreadsheets read as an escape of it, and what is too much for one cell. */
const unusual = /[^\t\n -\ud7ff\ue000-\ufffd]|\x7f|_x[\da-f]{4}_/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const forbidden = /[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]/g
const escapeLike = /_(?=x[\da-f]{4}_)/gi

/** Counts the cells of a file that did not fit and were cut. */
export interface CutCells {
  count: number
}

/**
 * A text as a cell can hold it: without characters that make a file unreadable, at most 32,767 characters and 253 line feeds.
 * Where that cuts something off, `note` stands in its place and the cell is counted.
 */
export function excelText(text: string, note: string, cut: CutCells): string {
  if (text.length <= mostLineFeeds && !unusual.test(text)) return text
  const clean = text.replace(/\r\n?/g, '\n').toWellFormed().replace(forbidden, '')
  const end = lengthThatFits(clean)
  if (end === clean.length) return clean.replace(escapeLike, '_x005F_')
  cut.count += 1
  const kept = clean.slice(0, Math.min(end, mostCharacters - note.length))
  // The first half of a pair is no character.
  return kept.replace(/[\ud800-\udbff]$/, '').replace(escapeLike, '_x005F_') + note
}

function lengthThatFits(text: string): number {
  let lineFeed = -1
  for (let count = 0; count <= mostLineFeeds; count++) {
    lineFeed = text.indexOf('\n', lineFeed + 1)
    if (lineFeed < 0) return Math.min(text.length, mostCharacters)
  }
  return Math.min(lineFeed, mostCharacters)
}

const markup = /[&<>]/g
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A text inside an XML element. */
export const xmlText = (text: string): string => text.replace(markup, (character) => entities[character] ?? '')
