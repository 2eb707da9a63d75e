/** Returns the SQL of an instant as ISO 8601 text in UTC, with milliseconds. */
export const isoMoment = (instant: string): string =>
  `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
