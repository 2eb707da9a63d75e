/** A client may spell one zone in many ways. */
const maxZones = 100

/** The names that were found to be time zones: to ask for one costs as much as to make a formatter. */
const zones = new Set<string>()

/** Whether a name is a time zone that this runtime knows, such as `Asia/Riyadh`. */
export function isTimeZone(name: string): boolean {
  // The first use of Intl's time zones loads their data: 13 ms of a cold start.
  if (name === 'UTC' || zones.has(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
  } catch {
    return false
  }
  if (zones.size >= maxZones) zones.clear()
  zones.add(name)
  return true
}

/**
 * Whether Postgres reads a time zone as this runtime does. It reverses the sign of offsets such as `+03:00`, and does
 * not know some old names. It takes many abbreviations, such as `EET` and `IST`, for another offset: of three letters,
 * only `UTC` and `GMT` are accepted.
 */
export const isSharedTimeZone = (name: string): boolean =>
  (/^(?:UTC|GMT)$/i.test(name) || !/^(?:[+-]|[a-z]{3}$|SystemV\/|US\/Pacific-New$)/i.test(name)) && isTimeZone(name)

const dayMs = 86_400_000

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Returns how far the zone's clocks are ahead of UTC at an instant, in milliseconds. */
export function zoneOffset(instant: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const known = formatters.get(timeZone)
  const formatter = known ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  if (formatters.size >= maxZones) formatters.clear()
  if (known === undefined) formatters.set(timeZone, formatter)
  const name = formatter.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes, seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? []
  if (sign === undefined) return 0
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -offset : offset
}

/** Returns the calendar day (as its UTC midnight) that the zone's clocks show at an instant. */
export function zoneDay(instant: number, timeZone: string): number {
  const local = instant + zoneOffset(instant, timeZone)
  return Math.floor(local / dayMs) * dayMs
}

/**
 * Returns the first instant of a calendar day, given by its UTC midnight. Daylight saving may skip 00:00 or repeat it.
 */
export function startOfZoneDay(day: number, timeZone: string): number {
  const offsets = [zoneOffset(day - dayMs, timeZone), zoneOffset(day + dayMs, timeZone)]
  const instants = offsets.map((offset) => day - offset).sort((a, b) => a - b)
  return instants.find((instant) => zoneDay(instant, timeZone) >= day) ?? day
}

/**
 * Returns the end of the day that begins at `instant`: the zone's next midnight if the instant is midnight there, which
 * takes daylight saving into account, else 24 hours later.
 */
export function endOfDayFrom(instant: number, timeZone: string): number {
  const day = zoneDay(instant, timeZone)
  return startOfZoneDay(day, timeZone) === instant ? startOfZoneDay(day + dayMs, timeZone) : instant + dayMs
}
