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

export type BodyKey = (typeof bodyKeys)[number]
