import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'

const fault = z.strictObject({
  kind: z.enum(['error', 'reset', 'hang', 'delay']).default('error'),
  /** The service's own error code, and its HTTP status. */
  code: z.string().optional(),
  message: z.string().default('A fault that was asked for'),
  status: z.int().min(400).max(599).optional(),
  times: z.int().min(1).default(1),
  /** Before: the service did nothing. After: it did all that was asked, and only its response fails. */
  when: z.enum(['before', 'after']).default('before'),
  delayMs: z.int().min(0).max(600_000).default(1_000),
  recipient: z.string().optional(),
  connection: z.string().optional(),
  action: z.string().optional(),
})

/**
 * How a local service is to fail: for the next `times` requests that match what is given of recipient, connection,
 * action.
 */
export type Fault = z.input<typeof fault>

/** A fault whose turn it is. */
export type DueFault = z.output<typeof fault>

/** The facts of a request that faults match. */
export interface FaultTarget {
  readonly recipients?: readonly string[]
  readonly connection?: string
  readonly action?: string
}

export interface Faults {
  readonly add: (fault: Fault) => void
  readonly clear: () => void
  /** How many requests are still to fail. */
  readonly count: () => number
  /** Returns the oldest fault that matches and counts it down; `undefined` if none does. */
  readonly take: (target: FaultTarget) => DueFault | undefined
  /** Handles `POST /faults` (one fault, or a list) and `DELETE /faults`; returns an HTTP status and a text. */
  readonly control: (method: string | undefined, body: string) => readonly [status: number, text: string]
}

export function createFaults(): Faults {
  const waiting: DueFault[] = []
  const add = (asked: Fault) => waiting.push(fault.parse(asked))
  const clear = () => waiting.splice(0)
  return {
    add,
    clear,
    count: () => waiting.reduce((sum, { times }) => sum + times, 0),
    take: (target) => {
      const due = waiting.find((one) => matches(one, target))
      if (due === undefined) return undefined
      due.times -= 1
      if (due.times === 0) waiting.splice(waiting.indexOf(due), 1)
      return due
    },
    control: (method, body) => {
      if (method === 'DELETE') clear()
      if (method === 'DELETE') return [204, '']
      if (method !== 'POST') return [405, 'POST or DELETE']
      try {
        const asked: unknown = JSON.parse(body)
        for (const one of z.array(fault).parse(Array.isArray(asked) ? asked : [asked])) add(one)
        return [204, '']
      } catch (error) {
        return [400, String(error)]
      }
    },
  }
}

function matches({ recipient, connection, action }: DueFault, target: FaultTarget): boolean {
  if (connection !== undefined && connection !== target.connection) return false
  if (action !== undefined && action !== target.action) return false
  return (
    recipient === undefined || (target.recipients ?? []).some((one) => one.toLowerCase() === recipient.toLowerCase())
  )
}

/**
 * Applies a fault to a request. Returns false if the request goes on, after a delay. One that hangs ends when its
 * client gives up or the server stops.
 */
export async function applyFault(due: DueFault, response: ServerResponse, refuse: () => void): Promise<boolean> {
  if (due.kind === 'delay') await sleep(due.delayMs, undefined, { ref: false })
  if (due.kind === 'reset') response.socket?.resetAndDestroy()
  if (due.kind === 'error') refuse()
  return due.kind !== 'delay'
}
