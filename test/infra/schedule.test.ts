import { expect, it, onTestFinished, vi } from 'vitest'
import { type ScheduledEvent, startSchedule } from '../../infra/local/schedule.ts'
import { waitFor } from '../support/run/patience.ts'

it('calls a function again and again with an event of the clock, even when it fails', async () => {
  const events: ScheduledEvent[] = []
  const handler = (event: ScheduledEvent) => {
    events.push(event)
    throw new Error('on purpose')
  }
  const onFailure = vi.fn()
  const { stop } = startSchedule({ target: { name: 'sweep', handler }, everyMs: 20, onFailure })
  onTestFinished(stop)
  await waitFor(() => expect(events.length).toBeGreaterThan(2))
  expect(events[0]).toMatchObject({ source: 'aws.events', 'detail-type': 'Scheduled Event', detail: {} })
  expect(onFailure).toHaveBeenCalledWith('sweep', new Error('on purpose'))
})

it('waits for the call under way when it stops, and calls no more', async () => {
  let started = 0
  let ended = 0
  const handler = async () => {
    started += 1
    await new Promise((resolve) => setTimeout(resolve, 100))
    ended += 1
  }
  const { stop } = startSchedule({ target: { name: 'sweep', handler }, everyMs: 20 })
  await waitFor(() => expect(started).toBeGreaterThan(0))
  await stop()
  const calls = started
  expect(ended).toBe(calls)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(started).toBe(calls)
})
