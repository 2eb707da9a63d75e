import type { Words } from './language.tsx'
import { numberLocale } from './language.tsx'

const formats = new Map<string, Intl.NumberFormat>()

/** The format of numbers with so many decimals, or with as many as they have. Making one costs more than using it. */
export function numberFormat({ language }: Words, decimals?: number | null): Intl.NumberFormat {
  const key = `${language} ${decimals}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const digits =
    decimals == null
      ? { maximumFractionDigits: 20 }
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format = new Intl.NumberFormat(numberLocale(language), digits)
  formats.set(key, format)
  return format
}
