import { Fragment, type ReactNode } from 'react'
import { foldText } from '../../../../lib/i18n/fold-text.ts'

/** Returns what marks the words and phrases of a search in a text, found as the service finds them. */
export function createMarker(search: string): (text: string) => ReactNode {
  const terms = readTerms(search)
  return (text) => drawRuns(text, findMarked(text, terms))
}

/** A word of two letters is found at the beginning of a word, a longer one anywhere, a letter alone nowhere. */
const minLength = 2
const minAnywhere = 3

const countLetters = (text: string): number => [...text].length

function readTerms(search: string): readonly string[] {
  const terms = search
    .split(/["“”„]/u)
    .flatMap((part, at) => (at % 2 === 1 ? [part] : part.split(/\s+/u)))
    .map((part) => foldText(part).trim())
  return [...new Set(terms)].filter((term) => countLetters(term) >= minLength)
}

/** A letter with the marks on it. */
const letter = /\P{M}\p{M}*|\p{M}+/gsu

/** Returns for each place of a text whether it is part of something that was found. */
function findMarked(text: string, terms: readonly string[]): readonly boolean[] {
  let folded = ''
  // Folding changes how many characters there are: each one of the result remembers the letter that it comes from.
  const origins: { readonly from: number; readonly to: number }[] = []
  for (const { 0: found, index } of text.matchAll(letter)) {
    const part = foldText(found)
    folded += part
    for (let at = 0; at < part.length; at += 1) origins.push({ from: index, to: index + found.length })
  }
  const marked = new Array<boolean>(text.length).fill(false)
  for (const term of terms) {
    for (let at = folded.indexOf(term); at >= 0; at = folded.indexOf(term, at + 1)) {
      if (countLetters(term) < minAnywhere && /[\p{L}\p{N}]$/u.test(folded.slice(0, at))) continue
      marked.fill(true, origins[at]?.from, origins[at + term.length - 1]?.to)
    }
  }
  return marked
}

/** Draws a text whose marked places stand out. */
function drawRuns(text: string, marked: readonly boolean[]): ReactNode {
  if (!marked.includes(true)) return text
  const runs: ReactNode[] = []
  let from = 0
  for (let to = 1; to <= text.length; to += 1) {
    if (to < text.length && marked[to] === marked[from]) continue
    const run = text.slice(from, to)
    runs.push(marked[from] ? <mark key={from}>{run}</mark> : <Fragment key={from}>{run}</Fragment>)
    from = to
  }
  return runs
}
