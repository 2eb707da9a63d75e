import { latinDigits, timeText, withoutMarks } from './read-file-cell.ts'
import { maxDigits } from './spreadsheet-values.ts'

/**
 * Whether a text of a CSV file may be what a spreadsheet program has made of the present one without an edit: a number
 * without its zeros or last digits, a date or a time, question marks for letters, the first part of a long text.
 */
export const isRewritten = (present: string, written: string): boolean =>
  isSameNumber(present, written) ||
  (present !== written && timeText(present) === timeText(written)) ||
  isSameDay(present, written) ||
  hasLostLetters(present, written) ||
  (/^(?:TRUE|FALSE)$/.test(written) && present.toUpperCase() === written) ||
  (written.length >= maxCellLength && present.startsWith(written))

/** Whether a program has written the present number with an exponent and all the digits that it keeps. */
export const isInExponentForm = (present: string, written: string): boolean =>
  /e/i.test(written) && listNumbers(written).includes(Number(Number(present).toPrecision(maxDigits)))

const maxCellLength = 32_767
/** The digits of a number for which a cell has room: Excel shows at most 11 characters of it, LibreOffice 15 digits. */
const countShown = (digits: number, hasExponent: boolean): number =>
  digits > 11 ? maxDigits : Math.max(digits, hasExponent ? 6 : 9)

const amount = /^[+-]?(?=[.,]?\d)[\d.,]+(?:e[+-]?\d+)?$/i

/** Lists the numbers that programs of different languages may read. */
function listNumbers(text: string): readonly number[] {
  const plain = latinDigits(withoutMarks(text)).replace(/[\s'’$€£¥]/g, '')
  if (!amount.test(plain)) return []
  return [readNumber(plain, ',', '.'), readNumber(plain, '.', ',')].filter(Number.isFinite)
}

/** Returns `NaN` where a separator is none of thousands. Indian programs write 12,34,567. */
function readNumber(text: string, separator: string, point: string): number {
  const [whole = '', ...rest] = text.replaceAll(separator, ' ').split(point)
  if (whole.includes(' ') && !/^[+-]?\d{1,3}( \d\d\d?)* \d{3}$/.test(whole)) return Number.NaN
  return Number([whole.replaceAll(' ', ''), ...rest].join('.'))
}

const isGrouped = /\d[.,]\d{3}(?!\d)/

function isSameNumber(present: string, written: string): boolean {
  const [mantissa = '', exponent] = written.split(/e/i)
  const digits = mantissa.replace(/\D/g, '').replace(/^0+/, '').length
  const shownDigits = countShown(digits, exponent !== undefined)
  const found = listNumbers(written)
  return listNumbers(present).some((number) => {
    if (!found.includes(Number(number.toPrecision(shownDigits)))) return false
    // A program leaves a number as it is that it would write in the same way, but for a separator of thousands.
    return exponent !== undefined || isGrouped.test(written) || !found.includes(number) || String(number) !== present
  })
}

const day = /^\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?$/
const namedDay = /^\d{1,2}[-\s.]+(\p{L}{3})\p{L}*\.?$|^\p{L}{3,}\.?[-\s]\d{2,4}$/u
const month = /^(\p{L}{3})\p{L}{0,6}[-\s]?\d{1,2}$/u

/** Programs write a day with a year or with slashes: 2.1 is a number. */
const isDay = (text: string): boolean => day.test(text) && Number.isNaN(Number(text))

function isSameDay(present: string, written: string): boolean {
  const named = namedDay.exec(written)
  if (day.test(present)) return named !== null || (isDay(written) && hasSameNumbers(present, written))
  const [, start] = month.exec(present) ?? []
  return start !== undefined && start.toLowerCase() === named?.[1]?.toLowerCase()
}

/** Programs change the order of day, month and year, write years with two digits and add the present one. */
function hasSameNumbers(present: string, written: string): boolean {
  const rest = written.split(/\D/)
  for (const number of present.split(/\D/)) {
    const at = rest.findIndex((one) => Number(one) % 100 === Number(number) % 100)
    if (at < 0) return false
    rest.splice(at, 1)
  }
  return present !== written && rest.every((one) => one.length === 4)
}

/** A program that saves in the code page of its machine writes question marks for letters of other scripts. */
const hasLostLetters = (present: string, written: string): boolean =>
  countLost(written) > countLost(present) && withoutLetters(written) === withoutLetters(present)

const countLost = (text: string): number => text.match(/[?\ufffd]/g)?.length ?? 0

// biome-ignore lint/suspicious/noControlCharactersInRegex: every character beyond ASCII
const withoutLetters = (text: string): string => text.replace(/(?:[^\x00-\x7f]|\?)+/g, '?')
