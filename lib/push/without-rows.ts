import type { PushData } from './push-message.ts'

/** The keys of a link in the data of a result. */
const linkKeys = ['url', 'filename', 'expires_at', 'download_id', 'result_url']

const notificationKeys = ['job_id', 'table', 'action', 'code', 'rows', 'counts', 'type', 'file_name', ...linkKeys]

/** Returns the data of a job's notification without rows, and without anything of an author's. */
export const notificationWithoutRows = (data: PushData): PushData => pickKeys(data, notificationKeys)

/**
 * Returns the result of a job, or the data of one of its events, without rows and without the data of authors. Links
 * stay.
 */
export function resultWithoutRows({ results: _, data, refused, plan, ...facts }: PushData): PushData {
  return {
    ...facts,
    ...(refused !== undefined && { refused: withoutIds(refused) }),
    ...(plan !== undefined && { plan: planWithoutRows(Object(plan)) }),
    ...(Object(data).download_id !== undefined && { data: pickKeys(Object(data), linkKeys) }),
  }
}

const planWithoutRows = (plan: PushData): PushData => ({
  ...plan,
  refused: withoutIds(plan['refused']),
  sample: [],
  sample_omitted: 'rights_changed',
})

const withoutIds = (refused: unknown): unknown =>
  (refused as readonly object[]).map((group) => ({ ...group, sample_ids: [] }))

const pickKeys = (data: object, keys: readonly string[]): PushData =>
  Object.fromEntries(Object.entries(data).filter(([key]) => keys.includes(key)))
