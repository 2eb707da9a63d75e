import { actionKey } from './action-key.ts'
import type { Formerly } from './formerly.ts'

/** A column, filter or action that may have been renamed. */
export interface Renamable {
  readonly key?: string
  readonly name?: string
  readonly pair?: { readonly isFrom: boolean } | undefined
  readonly definition: { readonly formerly?: Formerly }
}

/** Returns the name by which requests have a part. */
export const presentName = ({ key, name = '' }: Renamable): string => key ?? name

/** Returns the name by which requests had a part: of an action its key, of a date filter one for each end. */
export function formerName({ key, name, pair, definition: { formerly } }: Renamable): string | undefined {
  if (formerly === undefined || pair !== undefined)
    return formerly && `${formerly.name}_${pair?.isFrom ? 'from' : 'to'}`
  // Only actions have both.
  return key === undefined || name === undefined ? formerly.name : actionKey(formerly.name)
}
