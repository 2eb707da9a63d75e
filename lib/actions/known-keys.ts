import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { bodyKeys } from '../table/body-keys.ts'

/** One is enough to refuse a request, and a body has room for many. */
const maxFaults = 10

/** `selectedIds`, `Filter` and `dry-run` are one with `selected_ids`, `filters` and `dry_run` in the ears of people. */
const spoken = (key: string): string =>
  key
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '')

const meant = new Map<string, string>(bodyKeys.map((key) => [spoken(key), key]))

/**
 * Refuses a key that is nearly one of the known ones: unknown keys are ignored, and an action whose `selectedIds` or `filter` were
 * ignored would run on every row. Throws `validation_failed` naming the key and the one that was meant.
 */
export function assertNoNearMiss(body: Readonly<Record<string, unknown>>, formKeys: readonly string[]): void {
  const faults: (readonly [string, readonly Bilingual[]])[] = []
  for (const key of Object.keys(body)) {
    const target = key.length > 40 ? undefined : meant.get(spoken(key))
    if (target === undefined || target === key || formKeys.includes(key)) continue
    faults.push([key, [fieldFault('other_key', { meant: target })]])
    if (faults.length === maxFaults) break
  }
  if (faults.length > 0) throw validationFailed(Object.fromEntries(faults))
}

/** As much of a body as a job needs when it runs: what a client sent along is not kept for months. */
export function keptBody(body: Readonly<Record<string, unknown>>, formKeys: readonly string[] | undefined) {
  if (formKeys === undefined) return body
  const kept = new Set<string>([...bodyKeys, ...formKeys])
  return Object.fromEntries(Object.entries(body).filter(([key]) => kept.has(key)))
}
