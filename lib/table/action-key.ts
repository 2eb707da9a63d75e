/** The key of an action as clients see it: `Export Excel`, `export-excel` and `export_excel` are one. */
export const actionKey = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')

/** A label made of a key that has none: `mark_reviewed` becomes `Mark reviewed`. */
export function labelFromKey(key: string): string {
  const words = key.replace(/[_-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The keys that actions read from a body beside the fields of their forms: no form can have a field of these names. */
export const bodyKeys = [
  'selected_ids',
  'filters',
  'sorts',
  'params',
  'columns',
  'csv_separator',
  'csv_raw',
  'emails',
  'expected_count',
  'dry_run',
] as const

/** Keys of a body that select rows as well, unless the action's form has a field of that name. */
export const selectionKeys = ['filter_groups', 'time_zone', 'search', 'group'] as const

/** Keys of a body that are conditions of an action on rows, unless its form has a field of that name. */
export const versionKeys = ['expected_version', 'versions'] as const

/** Keys of a body that apply a saved view, unless the action's form has a field of that name. */
export const viewKeys = ['view', 'view_revision'] as const

/** Keys of a body by which a bulk action selects all rows but some, unless its form has a field of that name. */
export const allRowsKeys = ['select_all', 'excluded_ids'] as const

/**
 * Keys of a body by which a bulk action asks for the rows that a page has shown, unless its form has a field of that
 * name.
 */
export const tokenKeys = ['selection_token', 'tolerance'] as const

/**
 * Keys of a body that plan an action on several rows, or apply a plan, unless the action's form has a field of that
 * name.
 */
export const planKeys = ['plan', 'plan_id'] as const

/** Keys of a body that choose the form of a file, unless the action's form has a field of that name. */
export const fileKeys = ['round_trip'] as const

/** Keys of a body that ask for parts of an action's response, unless the action's form has a field of that name. */
export const responseKeys = ['include'] as const

export type BodyKey = (
  | typeof bodyKeys
  | typeof selectionKeys
  | typeof versionKeys
  | typeof viewKeys
  | typeof allRowsKeys
  | typeof tokenKeys
  | typeof planKeys
  | typeof fileKeys
  | typeof responseKeys
)[number]
