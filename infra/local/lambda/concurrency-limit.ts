import { type LocalFunction, TooManyRequests } from './local-function.ts'

/**
 * The requests that each function of the local service takes at once: more than one page sends, and few enough to
 * refuse a flood.
 */
export const localConcurrency = 100

interface ConcurrencyLimit {
  readonly isReached: () => boolean
  /** Runs work for a function. Rejects at once with TooManyRequests, as Lambda does, if the limit is reached. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>
}

/** Creates the limit of one function: its reserved concurrency. */
export function createConcurrencyLimit(functionName: string, reserved: number): ConcurrencyLimit {
  let running = 0
  const isReached = () => running >= reserved
  return {
    isReached,
    run: async (work) => {
      if (isReached()) throw new TooManyRequests(functionName)
      running += 1
      try {
        return await work()
      } finally {
        running -= 1
      }
    },
  }
}

/** Returns the function with a limit of events at once. */
export function limitFunction<Event>({ name, handler }: LocalFunction<Event>, reserved: number): LocalFunction<Event> {
  const { isReached, run } = createConcurrencyLimit(name, reserved)
  return { name, isBusy: isReached, handler: (event, context) => run(async () => handler(event, context)) }
}
