import { createPart } from './state/part.ts'

/** The parts that a first look at a table does not need. The README of the explorer tells how to add one. */
export const parts = {
  /** The popups beside buttons. */
  menus: createPart(() => import('./menus.ts')),
  /** The dialogs in front of the page. */
  dialogs: createPart(() => import('./dialogs.ts')),
  /** Conditions, totals and groups. */
  asking: createPart(() => import('./asking.ts')),
  /** The chart of groups, with the scales that it is drawn by. */
  chart: createPart(() => import('./chart.ts')),
}

export type Menus = typeof import('./menus.ts')
export type Asking = typeof import('./asking.ts')

/** Longer than this, a tap on a phone would wait for its menu. */
const idleWithinMs = 5_000

/** Loads what a user may open next when the browser is idle. Returns a function that cancels it. */
export function loadPartsWhenIdle(): () => void {
  const load = () => {
    parts.menus.load()
    parts.dialogs.load()
    parts.asking.load()
  }
  // Safari has no idle time to offer.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(load, idleWithinMs)
    return () => clearTimeout(timer)
  }
  const request = requestIdleCallback(load, { timeout: idleWithinMs })
  return () => cancelIdleCallback(request)
}
