import { isOver, type Job, type Message } from './job.ts'
import { abortedBy, backoff } from './pause.ts'
import { type CallOptions, jsonOf, type Send } from './transport.ts'

/** Hands every message of the client's sockets to `listener`; returns what ends that. */
export type Listen = (listener: (message: Message) => void) => () => void

export interface FollowOptions extends CallOptions {
  /** Each time more is known. `total` is null until it is. */
  readonly onProgress?: (progress: Pick<Job, 'done' | 'total'>) => void
}

export interface JobHandle {
  readonly id: string
  readonly status: (options?: CallOptions) => Promise<Job>
  /** Resolves when the job is over, whatever came of it: asks with growing pauses, and at once when a socket tells its end. */
  readonly done: (options?: FollowOptions) => Promise<Job>
  /** What is done is not undone; a job that runs stops at its next chunk. */
  readonly cancel: (options?: CallOptions) => Promise<Job>
}

const [firstPauseMs, longestPauseMs] = [500, 8_000]

/** One job of the caller. */
export function jobBy(send: Send, listen: Listen, id: string): JobHandle {
  const path = `./jobs/${encodeURIComponent(id)}`
  const read = async (target: string, { signal }: CallOptions, body?: object): Promise<Job> => {
    const response = await send(target, { signal, ...(body && { body }) })
    return (await jsonOf<{ readonly job: Job }>(response, signal)).job
  }
  const status = (options: CallOptions = {}) => read(path, options)
  return {
    id,
    status,
    cancel: (options = {}) => read(`${path}/cancel`, options, {}),
    done: async ({ signal, onProgress } = {}) => {
      for (let attempt = 0; ; attempt += 1) {
        const job = await status({ signal })
        onProgress?.(job)
        if (isOver(job)) return job
        await newsOf(listen, id, { milliseconds: backoff(attempt, firstPauseMs, longestPauseMs), signal, onProgress })
      }
    },
  }
}

interface Wait {
  readonly milliseconds: number
  readonly signal: AbortSignal | undefined
  readonly onProgress: FollowOptions['onProgress'] | undefined
}

/** Resolves when a socket tells the end of the job, or else after a while. */
function newsOf(listen: Listen, id: string, { milliseconds, signal, onProgress }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void) => () => {
      clearTimeout(timer)
      forget()
      signal?.removeEventListener('abort', abort)
      then()
    }
    const timer = setTimeout(() => end(resolve)(), milliseconds)
    const abort = end(() => reject(abortedBy(signal)))
    const forget = listen(({ event, channel, data }) => {
      if (channel !== `job:${id}`) return
      if (event === 'bulk_action.progress') onProgress?.(data as unknown as Job)
      else if (event !== 'bulk_action.started') end(resolve)()
    })
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort)
  })
}
