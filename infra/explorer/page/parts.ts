import { createPart } from './state/part.ts'

/** The parts that a first look at a table does not need. The README of the explorer tells how to add one. */
export const parts = {
  /** The popups beside buttons. */
  menus: createPart(() => import('./menus.ts')),
  /** The dialogs in front of the page. */
  dialogs: createPart(() => import('./dialogs.ts')),
  /** Conditions, totals and groups. */
  asking: createPart(() => import('./asking.ts')),
  /** The chart of groups. */
  chart: createPart(() => import('./chart.ts')),
  /** Keeps the rows as the service has them. */
  live: createPart(() => import('./live.ts')),
}

export type Menus = typeof import('./menus.ts')
export type Asking = typeof import('./asking.ts')

/** Longer than this, a tap on a phone would wait for its menu. */
const idleWithinMs = 5_000
const pauseMs = 500

/** Safari has no idle time to offer: pauses take its place, short ones, because the rows are not live before the end. */
const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, pauseMs))

/**
 * Loads what a user may open next, one part whenever the browser is idle. Returns a function that cancels what is still
 * to come.
 */
export function loadPartsWhenIdle(): () => void {
  const waiting = [parts.menus, parts.dialogs, parts.asking, parts.live]
  const loadNext = () => {
    waiting.shift()?.load()
    if (waiting.length > 0) whenIdle(loadNext, { timeout: idleWithinMs })
  }
  whenIdle(loadNext, { timeout: idleWithinMs })
  return () => waiting.splice(0)
}
