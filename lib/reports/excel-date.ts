const epochSerial = 25_569
const secondsPerDay = 86_400

/** 1 March 1900: spreadsheets believe in a 29 February before it, so earlier serials are days off. */
const firstSerial = 61
/** 1 January 10000. */
const endOfSerials = 2_958_466

/** The serial number of a moment given in seconds since 1970, or `undefined` for one that a spreadsheet cannot show. */
export function excelSerial(seconds: number): number | undefined {
  const serial = Math.floor(seconds) / secondsPerDay + epochSerial
  return serial >= firstSerial && serial < endOfSerials ? serial : undefined
}

const literals = /[/.,]/g

/** A month next to hours or seconds, or minutes next to neither, would be taken for the other one. */
const ambiguous = /(HH|ss)[^\w]*MM|MM[^\w]*ss/
const minutesInPlace = /HH[^\w]*mm|mm[^\w]*ss/

/** The number format of a date pattern; `undefined` for a pattern in which a spreadsheet would mix up months and minutes. */
export function excelDateFormat(pattern: string): string | undefined {
  if (ambiguous.test(pattern)) return undefined
  if (pattern.replace(minutesInPlace, '').includes('mm')) return undefined
  // Their own meaning in a format is "whatever the reader's locale writes here".
  return pattern.toLowerCase().replace(literals, '\\$&')
}

/** A moment given in seconds since 1970, written by a pattern of yyyy MM dd HH mm ss as the server's `to_char` writes it. */
export function patternText(seconds: number, pattern: string): string {
  const days = Math.floor(seconds / secondsPerDay)
  const rest = Math.floor(seconds) - days * secondsPerDay
  const { year, month, day } = civilDate(days)
  const parts: Readonly<Record<string, string>> = {
    // The year before 1 is 1 BC, of which `to_char` writes the 1.
    yyyy: digits(year > 0 ? year : 1 - year, 4),
    MM: digits(month, 2),
    dd: digits(day, 2),
    HH: digits(Math.floor(rest / 3_600), 2),
    mm: digits(Math.floor(rest / 60) % 60, 2),
    ss: digits(rest % 60, 2),
  }
  return pattern.replace(/yyyy|MM|dd|HH|mm|ss/g, (token) => parts[token] ?? token)
}

const digits = (value: number, length: number): string => String(value).padStart(length, '0')

const daysPerEra = 146_097

/** The Gregorian date of a day counted from 1970: JavaScript's own dates end before those of Postgres do. */
function civilDate(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / daysPerEra)
  const dayOfEra = shifted - era * daysPerEra
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day }
}
