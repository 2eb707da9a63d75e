import { groupDigits } from '../../../../lib/i18n/count-noun.ts'
import type { Words } from './language.tsx'
import { numberLocale } from './language.tsx'

const formats = new Map<string, Intl.NumberFormat>()

export interface NumberStyle {
  /** Default: as many as the number has. */
  readonly decimals?: number | null | undefined
  /** `false` for names that happen to be numbers, such as ids. Default `true`. */
  readonly useGrouping?: boolean
}

/** Returns the format of numbers in the page's language. Making one costs more than using it. */
export function numberFormat(
  { language }: Words,
  { decimals, useGrouping = true }: NumberStyle = {},
): Intl.NumberFormat {
  const key = `${language} ${decimals} ${useGrouping}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const digits =
    decimals == null
      ? { maximumFractionDigits: 20 }
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat(numberLocale(language), { ...digits, useGrouping })
  formats.set(key, format)
  return format
}

/** Writes a number in the page's language. Whole numbers need no format, whose first use is slow. */
export function formatNumber(words: Words, value: number | string, style: NumberStyle = {}): string {
  const { decimals, useGrouping = true } = style
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  if (isWhole && !decimals) return useGrouping ? groupDigits(value) : String(value)
  return numberFormat(words, style).format(value as number)
}
