import { randomUUID } from 'node:crypto'
import type { EventBridgeEvent } from 'aws-lambda'
import { atMost } from './at-most.ts'
import { type FailureReport, invoke, type LocalFunction } from './lambda/local-function.ts'
import { localAccount, localArn } from './local-account.ts'

export type ScheduledEvent = EventBridgeEvent<'Scheduled Event', Readonly<Record<string, never>>>

export interface ScheduleOptions {
  readonly target: LocalFunction<ScheduledEvent>
  readonly everyMs: number
  /** Handed to the function instead of EventBridge's own event. */
  readonly input?: ScheduledEvent
  readonly onFailure?: FailureReport
}

export interface Schedule {
  /** Waits up to a second for a call under way. */
  readonly stop: () => Promise<void>
}

/** The time that a scheduled function has for one call. */
const timeoutMs = 60_000

/**
 * Calls a function at a fixed rate, as an EventBridge rule does: the first time after `everyMs`, whether or not it
 * failed before.
 */
export function startSchedule({ target, everyMs, input, onFailure }: ScheduleOptions): Schedule {
  const running = new Set<Promise<unknown>>()
  const timer = setInterval(() => {
    const called = invoke(target, input ?? createScheduledEvent(target.name), timeoutMs).catch((error: unknown) =>
      onFailure?.(target.name, error),
    )
    running.add(called)
    void called.finally(() => running.delete(called))
  }, everyMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await atMost(1_000, Promise.all(running))
    },
  }
}

const createScheduledEvent = (name: string): ScheduledEvent => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: localAccount.id,
  time: `${new Date().toISOString().slice(0, 19)}Z`,
  region: localAccount.region,
  resources: [localArn('events', `rule/${name}`)],
  detail: {},
})
