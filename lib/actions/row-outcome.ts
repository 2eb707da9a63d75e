import type { ErrorCode } from '../errors/catalogue.ts'
import { RequestError } from '../errors/request-error.ts'
import { countNoun, nouns } from '../i18n/count-noun.ts'
import type { Bilingual } from '../i18n/language.ts'

/** Why one row was not changed. */
export interface RowFailure {
  readonly code: string
  readonly text: Bilingual
  /** Further keys of its result. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** The outcome of several rows, by the text of their keys. */
export interface RowsOutcome {
  readonly succeeded: readonly string[]
  readonly failed: ReadonlyMap<string, RowFailure>
  /** The undo data that the action's own code has returned. */
  readonly undo: ReadonlyMap<string, unknown>
}

/** A failure of the catalogue as that of one row. */
export const rowFailure = (code: ErrorCode): RowFailure => {
  const { text } = new RequestError(code)
  return { code, text }
}

/** Turns a refusal of the action's own code into the failure of one row. Rethrows any other error. */
export function toRowFailure(error: unknown): RowFailure {
  if (!(error instanceof RequestError) || error.status >= 500) throw error
  return { code: error.code, text: error.text }
}

/** One entry of a response's `results`. */
export interface RowResult {
  readonly id: string | number
  readonly success: boolean
  readonly code?: string
  readonly errors?: readonly string[]
}

/** The result of one id; English first, as everywhere. */
export const rowResult = (id: string | number, failure: RowFailure | undefined): RowResult =>
  failure === undefined
    ? { id, success: true }
    : { id, success: false, code: failure.code, errors: [failure.text.en, failure.text.ar], ...failure.details }

export interface Counts {
  readonly succeeded: number
  readonly failed: number
}

/** Says how many rows were changed and how many were not. */
export function countsMessage({ succeeded, failed }: Counts): Bilingual {
  const done = countNoun(succeeded, nouns.row)
  const not = countNoun(failed, nouns.row)
  if (failed === 0) return { en: `${done.en} done`, ar: `تم: ${done.ar}` }
  return { en: `${done.en} done, ${not.en} not`, ar: `تم: ${done.ar}، ولم يتم: ${not.ar}` }
}
