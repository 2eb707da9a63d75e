import { createStore } from '../state/store.ts'

const key = 'explorer-live'

/** Whether this browser shows rows live. On unless a user has switched it off, as in tables that people work on together. */
export const liveChoice = createStore(localStorage.getItem(key) !== 'off')

export function toggleLive(): void {
  const isOn = !liveChoice.get()
  localStorage.setItem(key, isOn ? 'on' : 'off')
  liveChoice.set(isOn)
}
