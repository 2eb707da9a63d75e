import type { Config } from '../config.ts'

/** An allowance of each caller: at most `max` units at once, refilled evenly by `max` in each `seconds`. */
export interface UsageLimit {
  readonly kind: 'requests' | 'exports' | 'mails'
  readonly max: number
  readonly seconds: number
}

type Limits = Pick<Config, 'REQUESTS_PER_CALLER' | 'EXPORTS_PER_CALLER' | 'MAILS_PER_CALLER'>

/** Returns the allowance of a kind; `undefined` if it is off. */
export function findLimit(config: Limits, kind: UsageLimit['kind']): UsageLimit | undefined {
  const [max, seconds] = {
    requests: [config.REQUESTS_PER_CALLER, 60],
    exports: [config.EXPORTS_PER_CALLER, 3_600],
    mails: [config.MAILS_PER_CALLER, 86_400],
  }[kind] as [number | undefined, number]
  return max === undefined ? undefined : { kind, max, seconds }
}
