import { zoneOffset } from './time-zone.ts'

const dayMs = 86_400_000

/** Whether the zone's clocks skip a local time, as `2026-03-29T02:30` where daylight saving begins. False for a time with an offset. */
export function isSkipped(local: string, timeZone: string): boolean {
  const clock = Date.parse(`${local}Z`)
  if (Number.isNaN(clock)) return false
  const offsets = [clock - dayMs, clock + dayMs].map((instant) => zoneOffset(instant, timeZone))
  return !offsets.some((offset) => zoneOffset(clock - offset, timeZone) === offset)
}
