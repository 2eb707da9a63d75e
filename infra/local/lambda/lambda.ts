import { createConcurrencyLimit } from './concurrency-limit.ts'
import { type ExecutionEnvironment, type LambdaCode, startEnvironment } from './lambda-environment.ts'

export interface LambdaSettings extends LambdaCode {
  /** The maximum number of simultaneous events; one more is refused. Default: no limit. */
  readonly reserved: number | undefined
  /** A thread for each event. */
  readonly cold: boolean
}

export interface Lambda {
  /** Resolves with what the function returned. Rejects with TooManyRequests, or with what the function threw. */
  readonly invoke: (event: unknown) => Promise<unknown>
  /** Whether one more event would be refused. */
  readonly isBusy: () => boolean
  readonly stop: () => Promise<void>
}

/**
 * Each environment takes the memory of a Node process: beyond this many, events wait where Lambda would start another
 * one.
 */
const maxEnvironments = 4

/**
 * A function as Lambda runs it: in environments of its own, each with one event at a time, started when they are
 * needed.
 */
export function createLambda({ reserved = Number.POSITIVE_INFINITY, cold, ...code }: LambdaSettings): Lambda {
  const { acquire, release, stop } = createEnvironments(code, cold)
  const limit = createConcurrencyLimit(code.name, reserved)
  const run = async (event: unknown) => {
    const environment = await acquire()
    try {
      return await environment.invoke(event)
    } finally {
      release(environment)
    }
  }
  return {
    stop,
    isBusy: limit.isReached,
    invoke: (event) => limit.run(() => run(event)),
  }
}

function createEnvironments(code: LambdaCode, cold: boolean) {
  const all = new Set<ExecutionEnvironment>()
  const idle: ExecutionEnvironment[] = []
  const waiting: (() => void)[] = []
  const acquire = async () => {
    while (idle.length === 0 && all.size >= maxEnvironments) {
      await new Promise<void>((freed) => waiting.push(freed))
    }
    const kept = idle.pop()
    // An environment that crashed while it was idle is replaced.
    if (kept !== undefined && !kept.usable()) all.delete(kept)
    const environment = kept?.usable() === true ? kept : startEnvironment(code)
    all.add(environment)
    return environment
  }
  const release = (environment: ExecutionEnvironment) => {
    if (environment.usable() && !cold) idle.push(environment)
    else {
      all.delete(environment)
      void environment.stop()
    }
    waiting.shift()?.()
  }
  const stop = async () => {
    await Promise.all([...all].map((environment) => environment.stop()))
  }
  return { acquire, release, stop }
}
