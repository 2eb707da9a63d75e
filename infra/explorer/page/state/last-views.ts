import { readView, type View, writeView } from './view.ts'

const key = 'explorer-views'

const readViews = (): Readonly<Record<string, string>> => {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}')
  } catch {
    return {}
  }
}

/** Keeps how a table was looked at, for as long as the tab is open. */
export function rememberView(view: View): void {
  if (view.table !== undefined) {
    sessionStorage.setItem(key, JSON.stringify({ ...readViews(), [view.table]: writeView(view) }))
  }
}

/** The table as it was last looked at in this tab: its filters, sorts, columns and page. */
export function lastView(table: string): Omit<View, 'language'> {
  const { language: _, ...view } = readView(
    Object.hasOwn(readViews(), table) ? (readViews()[table] ?? '') : `#${encodeURIComponent(table)}`,
  )
  return view
}

/** Another caller has looked at nothing yet. */
export const forgetViews = (): void => sessionStorage.removeItem(key)
