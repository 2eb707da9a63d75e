import type { Statement } from '../db/statement.ts'
import type { TableView } from '../table/view.ts'

/** Clients choose filters, sorts and page sizes, and so the number of texts. */
const mostTexts = 200
const longestShape = 2_000

const known = new WeakMap<TableView, Map<string, string>>()

/**
 * What `write` writes, or wrote for an equal `shape` of the same view: a text that need not be put together, and that the
 * driver has hashed before. A `write` that adds parameters to the statement is called each time.
 */
export function rememberedText(view: TableView, statement: Statement, shape: string, write: () => string): string {
  const ofView = known.get(view) ?? new Map<string, string>()
  const remembered = ofView.get(shape)
  if (remembered !== undefined) return remembered
  const bound = statement.parameters.length
  const text = write()
  if (statement.parameters.length > bound || shape.length > longestShape) return text
  if (ofView.size >= mostTexts) ofView.clear()
  known.set(view, ofView.set(shape, text))
  return text
}
