import { zoneOffset } from './time-zone.ts'

const dayMs = 86_400_000

/**
 * Returns the moment at which the zone's clocks show a local time: of two moments the later one, as Postgres does.
 * `undefined` for a time that they skip, such as `2026-03-29T02:30` where daylight saving begins, and for one with an
 * offset.
 */
export function findMoment(local: string, timeZone: string): number | undefined {
  const clock = Date.parse(`${local}Z`)
  if (Number.isNaN(clock)) return undefined
  const moments = [clock - dayMs, clock + dayMs].map((instant) => clock - zoneOffset(instant, timeZone))
  return moments.filter((moment) => zoneOffset(moment, timeZone) === clock - moment).sort((a, b) => b - a)[0]
}

/** Whether the zone's clocks skip a local time. False for a time with an offset. */
export const isSkipped = (local: string, timeZone: string): boolean =>
  !Number.isNaN(Date.parse(`${local}Z`)) && findMoment(local, timeZone) === undefined
