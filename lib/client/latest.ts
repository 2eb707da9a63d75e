/** Runs one piece of work after the other: a new one aborts the one before, whose promise then resolves to `undefined`. */
export function latestOnly() {
  let current: AbortController | undefined
  return async <T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T | undefined> => {
    current?.abort()
    const own = new AbortController()
    current = own
    try {
      const answer = await work(signal === undefined ? own.signal : AbortSignal.any([own.signal, signal]))
      return own.signal.aborted ? undefined : answer
    } catch (error) {
      if (own.signal.aborted) return undefined
      throw error
    }
  }
}
