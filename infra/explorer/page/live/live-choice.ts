import { browserTexts } from '../state/kept-texts.ts'
import { createStore } from '../state/store.ts'

const key = 'explorer-live'

/** Whether this browser shows rows live. Default: on, until the user switches it off. */
export const liveChoice = createStore(browserTexts.read(key) !== 'off')

export function toggleLive(): void {
  const isOn = !liveChoice.get()
  browserTexts.write(key, isOn ? 'on' : 'off')
  liveChoice.set(isOn)
}
