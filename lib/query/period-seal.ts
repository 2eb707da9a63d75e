import { openText, sealText } from './sealed-text.ts'

/** The secret and the context of a seal, and the day that it names. */
export interface PeriodSeal {
  readonly secret: string
  readonly context: string
  /** The day on which the periods of the request are read, in days since 1970; `undefined` where it has none. */
  readonly day: number | undefined
}

/**
 * Seals a text, and names the day of its periods behind it: what is opened tomorrow has the rows that it was made for.
 */
export const sealOnDay = ({ secret, context, day }: PeriodSeal, text: string): string =>
  day === undefined ? sealText(secret, context, text) : `${sealText(secret, `${context}\n${day}`, text)}.${day}`

/** Opens what `sealOnDay` has sealed; `undefined` for a text of another day, or one that `openText` does not open. */
export function openOnDay({ secret, context, day }: PeriodSeal, sealed: unknown): string | undefined {
  const named = readPeriodDay(sealed)
  // Texts that were sealed before they named a day have the periods of the present one.
  if (named === undefined) return openText(secret, context, sealed)
  return named === day ? openText(secret, `${context}\n${day}`, String(sealed).replace(dayBehind, '')) : undefined
}

const dayBehind = /\.([1-9]\d{0,5})$/

/** Returns the day that a sealed text names, before it is opened. */
export function readPeriodDay(sealed: unknown): number | undefined {
  const [, day] = typeof sealed === 'string' ? (dayBehind.exec(sealed) ?? []) : []
  return day === undefined ? undefined : Number(day)
}
