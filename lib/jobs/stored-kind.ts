import { selectionKeys } from '../table/action-key.ts'
import type { Job } from './job.ts'

/**
 * The stored kind of a report whose rows are selected by keys that workers of the version 2026-11-21 ignore. A worker
 * refuses a kind that it does not know, where it would otherwise deliver rows that were not asked for.
 */
const selectedReport = 'selected_report'

const newerKeys: readonly string[] = [...selectionKeys, 'excluded_ids']

/** Returns the kind by which the table of jobs names a job. */
export const toStoredKind = ({ kind, body }: Pick<Job, 'kind' | 'body'>): string =>
  kind === 'report' && newerKeys.some((key) => Object.hasOwn(body, key)) ? selectedReport : kind

/** Returns the kind of a stored job. That of a later version stays as it is, and `runJob` refuses it. */
export const readStoredKind = (stored: unknown): Job['kind'] =>
  stored === selectedReport ? 'report' : (stored as Job['kind'])
