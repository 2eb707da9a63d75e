import { tabTexts } from './kept-texts.ts'
import { readView, type View, writeView } from './view.ts'

const key = 'explorer-views'

const readViews = (): Readonly<Record<string, unknown>> => Object(tabTexts.readJson(key))

/** Keeps how a table was looked at, for as long as the tab is open. */
export function rememberView(view: View): void {
  if (view.table !== undefined) {
    tabTexts.write(key, JSON.stringify({ ...readViews(), [view.table]: writeView(view, '?') }))
  }
}

/** Whether this tab has shown a table before. */
export const isRemembered = (table = ''): boolean => Object.hasOwn(readViews(), table)

/** The table as it was last looked at in this tab: its filters, sorts, columns and page. */
export function lastView(table: string): Omit<View, 'language'> {
  const { language: _, ...view } = readView(
    isRemembered(table) ? String(readViews()[table]) : `#${encodeURIComponent(table)}`,
  )
  return view
}

/** Another caller has looked at nothing yet. */
export const forgetViews = (): void => tabTexts.remove(key)
