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

/** The user of this tab. Another tab may have another one, who has chosen something else. */
let owner = ''

function readAll(): Readonly<Record<string, unknown>> {
  const { by, tables } = Object(browserTexts.readJson(key))
  return by === owner ? Object(tables) : {}
}

export function setOwner(subject: string): void {
  owner = subject
}

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
  browserTexts.write(
    key,
    JSON.stringify({ by: owner, tables: { ...readAll(), [table]: { ...keptChoices(table), ...choices } } }),
  )

export const forgetChoices = (): void => browserTexts.remove(key)
