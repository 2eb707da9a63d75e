const key = 'explorer-kept'

/**
 * The saved view that was opened. The revision is 0 where an address names the view by its id alone: it is not opened
 * yet.
 */
export interface OpenView {
  readonly id: string
  readonly revision: number
}

/** The choices about a table that this browser keeps: its columns, and the saved view that was open last. */
export interface KeptChoices {
  readonly columns?: readonly string[]
  readonly saved?: OpenView | undefined
}

const readAll = (): Readonly<Record<string, KeptChoices>> => {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}')
  } catch {
    return {}
  }
}

/** Returns what is kept about a table: an address of nothing but the table begins with it. */
export const keptChoices = (table: string): KeptChoices =>
  Object.hasOwn(readAll(), table) ? (readAll()[table] ?? {}) : {}

export const keepChoices = (table: string, choices: KeptChoices): void =>
  localStorage.setItem(key, JSON.stringify({ ...readAll(), [table]: { ...keptChoices(table), ...choices } }))

/** Another caller has chosen nothing yet. */
export const forgetChoices = (): void => localStorage.removeItem(key)
