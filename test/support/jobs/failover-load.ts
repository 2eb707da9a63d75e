import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '../requests/api.ts'

/** The responses that the clients of a load received. */
export interface LoadReport {
  /** How often each status and code came, such as `503 unavailable`. */
  readonly outcomes: Readonly<Record<string, number>>
  /** The orders that were changed, once for each key whose request was answered 200 in the end. */
  readonly changed: readonly number[]
  /** Milliseconds between `mark` and the first write that was begun after it and succeeded. */
  readonly recoveredAfterMs: number | undefined
}

export interface Load {
  /** From here on the recovery is measured. */
  readonly mark: () => void
  readonly succeeded: () => number
  readonly unavailable: () => number
  /** Lets every request that is under way come to an end: it is repeated with its key until it is answered 200. */
  readonly stop: () => Promise<LoadReport>
}

const pauseMs = 100

/**
 * Sends actions and queries to each service without a pause, as clients do that repeat what is not answered with 200:
 * with the same `Idempotency-Key`.
 */
export function startLoad(services: readonly Api[], orders: readonly number[]): Load {
  const outcomes: Record<string, number> = {}
  const changed: number[] = []
  let running = true
  let markedAt: number | undefined
  let recoveredAt: number | undefined

  const sendRequest = async (service: Api, path: string, headers = {}): Promise<number> => {
    const { status, json } = await service.post(path, {}, { headers })
    const outcome = status === 200 ? '200' : `${status} ${json?.code}`
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    return status
  }

  async function write(service: Api, order: number, key: string): Promise<void> {
    const path = `row-table-action/orders/count/${order}`
    for (;;) {
      const begunAt = performance.now()
      if ((await sendRequest(service, path, { 'idempotency-key': key })) === 200) {
        if (markedAt !== undefined && begunAt > markedAt) recoveredAt ??= performance.now()
        return void changed.push(order)
      }
      await sleep(pauseMs)
    }
  }

  const client = async (service: Api, index: number): Promise<void> => {
    for (let turn = 0; running; turn++) {
      await write(service, orders[(index + turn) % orders.length] ?? 0, `${index}-${turn}`)
      if ((await sendRequest(service, 'query-table/orders')) !== 200) await sleep(pauseMs)
    }
  }
  const clients = services.map(client)

  return {
    mark: () => {
      markedAt = performance.now()
    },
    succeeded: () => changed.length,
    unavailable: () => outcomes['503 unavailable'] ?? 0,
    stop: async () => {
      running = false
      await Promise.all(clients)
      const recoveredAfterMs = recoveredAt && markedAt && Math.round(recoveredAt - markedAt)
      return { outcomes, changed, recoveredAfterMs }
    },
  }
}
