import type { Bilingual } from '../i18n/language.ts'
import { fieldFault } from './field-fault.ts'
import { validationFailed } from './request-error.ts'

/** Whether Postgres can hold a text: it has no null character, and no half of a character. */
export const isReadableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()

/** Whether Postgres can hold each text and key in a value. */
export const hasReadableTexts = (value: unknown): boolean => unreadablePaths(value, []).next().done === true

const maxFaults = 10
const maxPathLength = 100

/**
 * Throws `validation_failed` naming each text and key in a JSON value that Postgres cannot hold, behind the path given.
 */
export function assertReadableTexts(value: unknown, path: readonly string[]): void {
  // A client may name a key `__proto__`.
  const faults: Record<string, readonly Bilingual[]> = Object.create(null)
  for (const place of unreadablePaths(value, path)) {
    faults[place.join('.').slice(0, maxPathLength)] = [fieldFault('unreadable_text')]
    if (Object.keys(faults).length === maxFaults) break
  }
  if (Object.keys(faults).length > 0) throw validationFailed(faults)
}

function* unreadablePaths(value: unknown, path: readonly string[]): Generator<readonly string[]> {
  if (typeof value === 'string') {
    if (!isReadableText(value)) yield path
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    if (isReadableText(key)) yield* unreadablePaths(part, [...path, key])
    else yield [...path, key.replaceAll('\u0000', '\ufffd').toWellFormed()]
  }
}
