/** A text that leads somewhere; only a cell of a spreadsheet can be one. */
export interface ReportLink {
  readonly text: string
  readonly address: string
}

/** Spreadsheets refuse longer ones. */
const maxAddressLength = 2_079
const clickable = /^(?:https?|mailto|tel):/i

/**
 * Returns the link that a cell of the wire is: a text that is its own address, or `{ value, label }`. `undefined` for a relative or
 * unsafe address, and for one that no spreadsheet takes.
 */
export function spreadsheetLink(value: unknown): ReportLink | undefined {
  const { value: target, label } = typeof value === 'string' ? { value, label: value } : Object(value)
  const address = addressOf(target)
  if (address === undefined) return undefined
  return { address, text: typeof label === 'string' && label.trim() !== '' ? label : String(target) }
}

function addressOf(target: unknown): string | undefined {
  if (typeof target !== 'string' || !clickable.test(target) || !URL.canParse(target)) return undefined
  // Encoded, because one address that is no URI makes the whole file unreadable.
  const { href } = new URL(target)
  return href.length <= maxAddressLength ? href : undefined
}
