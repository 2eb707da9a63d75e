import { isFinished, type Job, type Message } from './job.ts'
import { backoff, joinSignals, pause } from './pause.ts'
import { TableError } from './table-error.ts'
import { type CallOptions, isRetryable, type Send } from './transport.ts'

/** Passes every message of the client's sockets to `listener`; the returned function removes it. */
export type Listen = (listener: (message: Message) => void) => () => void

export interface FollowOptions extends CallOptions {
  /** Called after each status request and progress message. `total` is null until it is known. */
  readonly onProgress?: (progress: Pick<Job, 'done' | 'total'>) => void
}

export interface JobHandle {
  readonly id: string
  readonly status: (options?: CallOptions) => Promise<Job>
  /**
   * Resolves when the job has ended, successfully or not. Goes on while its state cannot be read: without a network,
   * after a failure of the service or the page of a proxy.
   */
  readonly done: (options?: FollowOptions) => Promise<Job>
  /** A running job stops after its current chunk; finished chunks are not undone. */
  readonly cancel: (options?: CallOptions) => Promise<Job>
}

const minPauseMs = 500
const maxPauseMs = 8_000

/** Creates the calls for one job of the caller. */
export function createJobHandle(send: Send, listen: Listen, id: string): JobHandle {
  const path = `./jobs/${encodeURIComponent(id)}`
  const read = async (target: string, { signal }: CallOptions, body?: object): Promise<Job> => {
    return (await send<{ readonly job: Job }>(target, { signal, ...(body && { body }) })).job
  }
  const status = (options: CallOptions = {}) => read(path, options)
  return {
    id,
    status,
    cancel: (options = {}) => read(`${path}/cancel`, options, {}),
    done: async ({ signal, onProgress } = {}) => {
      for (let attempt = 0; ; attempt += 1) {
        let milliseconds = backoff(attempt, minPauseMs, maxPauseMs)
        let job: Job | undefined
        try {
          job = await status({ signal })
        } catch (error) {
          // The job runs on while its state cannot be read, also while `token` fails.
          if (error instanceof TableError) {
            if (!isRetryable(error) && error.status < 500 && error.code !== 'bad_response') throw error
            milliseconds = Math.max(milliseconds, (error.retryAfter ?? 0) * 1_000)
          }
        }
        if (job !== undefined) {
          onProgress?.(job)
          if (isFinished(job)) return job
        }
        await waitForChange(listen, id, { milliseconds, signal, onProgress })
      }
    },
  }
}

interface Wait {
  readonly milliseconds: number
  readonly signal: AbortSignal | undefined
  readonly onProgress: FollowOptions['onProgress'] | undefined
}

/** Resolves when a socket reports the end of the job, after `milliseconds`, or when the signal aborts. */
async function waitForChange(listen: Listen, id: string, { milliseconds, signal, onProgress }: Wait): Promise<void> {
  const ended = new AbortController()
  const stopListening = listen(({ event, channel, data }) => {
    if (channel !== `job:${id}`) return
    // The service sends the entry of the job under this event.
    if (event === 'bulk_action.progress') onProgress?.(data as unknown as Job)
    else if (event !== 'bulk_action.started') ended.abort()
  })
  await pause(milliseconds, joinSignals(ended.signal, signal)).catch(() => {})
  stopListening()
}
