import { browserTexts } from './kept-texts.ts'
import { createStore } from './store.ts'

export type Theme = 'light' | 'dark'

const key = 'explorer-theme'
const kept = browserTexts.read(key)
const preferred = matchMedia('(prefers-color-scheme: dark)')

/** The chosen theme; default: the preference of the system. */
const theme = createStore<Theme | undefined>(kept === 'light' || kept === 'dark' ? kept : undefined)

const shownTheme = (): Theme => theme.get() ?? (preferred.matches ? 'dark' : 'light')

/** Writes the choice where the styles look for it. */
export function showTheme(): void {
  const chosen = theme.get()
  if (chosen === undefined) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
}

export function toggleTheme(): void {
  const next = shownTheme() === 'dark' ? 'light' : 'dark'
  browserTexts.write(key, next)
  theme.set(next)
  showTheme()
}
