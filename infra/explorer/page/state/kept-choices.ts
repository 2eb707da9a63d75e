import { browserTexts } from './kept-texts.ts'

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

const readAll = (): Readonly<Record<string, unknown>> => Object(browserTexts.readJson(key))

/** Returns what is kept about a table: an address of nothing but the table begins with it. */
export function keptChoices(table: string): KeptChoices {
  const all = readAll()
  const { columns, saved } = Object.hasOwn(all, table) ? Object(all[table]) : {}
  return {
    ...(Array.isArray(columns) && { columns }),
    ...(typeof saved?.id === 'string' && { saved }),
  }
}

export const keepChoices = (table: string, choices: KeptChoices): void =>
  browserTexts.write(key, JSON.stringify({ ...readAll(), [table]: { ...keptChoices(table), ...choices } }))

/** Another caller has chosen nothing yet. */
export const forgetChoices = (): void => browserTexts.remove(key)
