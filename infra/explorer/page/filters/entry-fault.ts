/** A fault in what was entered into a filter or a condition. */
export interface EntryFault {
  readonly text: string
  /** The only end of a range that is wrong. */
  readonly end?: number
}

/** Returns a fault of a range, from which of its ends are wrong. */
export function createFault(text: string, isWrong: readonly boolean[]): EntryFault {
  const end = isWrong.indexOf(true)
  return end === isWrong.lastIndexOf(true) ? { text, end } : { text }
}
