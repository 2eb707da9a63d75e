import { findComputeError, isServerError } from '../db/database-error.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { selectionFault } from '../errors/selection-fault.ts'
import { ownValue, type UnknownBody } from '../table/unknown-body.ts'

/** Whether the server has refused a parameter that its column cannot hold. */
export const isUnfitValue = (error: unknown): boolean =>
  error instanceof RequestError &&
  error.fields?.['body'] !== undefined &&
  isServerError(error.cause) &&
  findComputeError(error) === undefined

/**
 * Returns the error to throw in place of one of a page whose values do not fit their columns. Only a cursor and the
 * token of a group have values that were read before the type of a column changed.
 */
export function nameStaleToken(body: UnknownBody, thrown: unknown): unknown {
  if (!isUnfitValue(thrown)) return thrown
  const isSent = (key: string) => (ownValue(body, key) ?? undefined) !== undefined
  const faults = {
    ...(isSent('cursor') && { cursor: [fieldFault('not_a_cursor')] }),
    ...(isSent('group') && { group: [selectionFault('not_a_group_token')] }),
  }
  return Object.keys(faults).length === 0 ? thrown : validationFailed(faults)
}
