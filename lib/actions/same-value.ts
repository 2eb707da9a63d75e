import { zoneOffset } from '../i18n/time-zone.ts'
import { isFloat } from '../query/compare.ts'
import type { Source } from '../table/source.ts'

/** Whether a value that a client would write is the one that a cell has, given as an export writes it. */
export function isSameValue(source: Source, value: unknown, text: string | null, timeZone: string): boolean {
  if (value === null || text === null) return value === null && text === null
  switch (source.kind) {
    case 'integer':
      return /^-?\d+$/.test(String(value)) && BigInt(String(value)) === BigInt(text)
    case 'decimal':
      return isFloat(source) ? Number(value) === Number(text) : plainDecimal(String(value)) === plainDecimal(text)
    case 'timestamp':
      return instant(String(value)) === instant(text)
    case 'instant':
      return localInstant(String(value), timeZone) === instant(text)
    default:
      return String(value) === text
  }
}

const plainDecimal = (text: string): string => {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)0*(\d*)\.?(\d*?)0*$/.exec(text) ?? [text, '', text]
  const digits = `${whole === '' ? '0' : whole}.${fraction}`
  return digits === '0.' ? digits : sign + digits
}

/** To the second, because files show no more. */
const instant = (text: string): number => Math.floor(Date.parse(text.endsWith('Z') ? text : `${text}Z`) / 1_000)

function localInstant(text: string, timeZone: string): number {
  if (/(z|[+-]\d\d:\d\d)$/i.test(text)) return Math.floor(Date.parse(text) / 1_000)
  const clock = Date.parse(`${text}Z`)
  // The offset of a moment near by, corrected where daylight saving begins or ends in between.
  const near = clock - zoneOffset(clock, timeZone)
  return Math.floor((clock - zoneOffset(near, timeZone)) / 1_000)
}
