import { hash } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Total } from './page.ts'

/** Totals that one process has learnt. Nothing of it is shared between processes or outlives them. */
export interface TotalMemory {
  /** Returns the total that was remembered for equal rows and rights, until its time is over. */
  readonly findTotal: (key: string) => Total | undefined
  readonly rememberTotal: (key: string, total: Total, seconds: number) => void
  /** Whether the last count of this key fitted into its budget; `undefined` if none was tried lately. */
  readonly fitted: (key: string) => boolean | undefined
  readonly rememberFit: (key: string, fits: boolean) => void
}

const maxEntries = 1_000
/** A statement whose count was stopped is not tried again for this long. */
const stoppedMs = 60_000

interface TimedEntry<Value> {
  readonly value: Value
  readonly until: number
}

/** Keys hold the values of filters, which a client may make as long as a body: only their digests are kept. */
const shorten = (key: string): string => hash('sha256', key, 'base64')

function createTimedMap<Value>() {
  const entries = new Map<string, TimedEntry<Value>>()
  return {
    find(key: string): Value | undefined {
      const entry = entries.get(shorten(key))
      return entry !== undefined && performance.now() < entry.until ? entry.value : undefined
    },
    set(key: string, value: Value, ms: number): void {
      if (entries.size >= maxEntries) entries.clear()
      entries.set(shorten(key), { value, until: performance.now() + ms })
    },
  }
}

function createTotalMemory(): TotalMemory {
  const totals = createTimedMap<Total>()
  const fits = createTimedMap<boolean>()
  return {
    findTotal: totals.find,
    rememberTotal: (key, total, seconds) => {
      if (seconds > 0) totals.set(key, total, seconds * 1_000)
    },
    fitted: fits.find,
    rememberFit: (key, fit) => fits.set(key, fit, fit ? Number.POSITIVE_INFINITY : stoppedMs),
  }
}

const memories = new WeakMap<object, TotalMemory>()

/** Returns the memory of a service. Two services of one process, on two databases, never share one. */
export function findTotalMemory(config: Pick<Config, 'DATABASE_URL'>): TotalMemory {
  const memory = memories.get(config) ?? createTotalMemory()
  memories.set(config, memory)
  return memory
}
