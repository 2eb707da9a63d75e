import { hash } from 'node:crypto'
import type { Run } from '../db/transaction.ts'
import { insertRowEvent } from '../push/subscriptions.ts'
import { allRowsKeys, selectionKeys } from '../table/action-key.ts'
import { ownValue, type UnknownBody } from '../table/unknown-body.ts'

/** An action or export as the audit keeps it. */
export interface AuditEntry {
  readonly subject: string
  readonly table: string
  readonly action: string
  readonly guard: string
  readonly kind: 'row' | 'row_bulk' | 'bulk' | 'export' | 'download' | 'view' | 'undo'
  /** Tells which rows were asked for without telling their values. */
  readonly filterHash: string | undefined
  readonly requestId: string
  readonly jobId?: string
}

// One statement, so that an action costs no further round trip if its table is not watched.
const insertion = `with audited as (insert into table_control.audit
  (subject, table_name, action, guard, kind, rows, filter_hash, outcome, request_id, job_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning table_name, kind, rows, job_id)
  ${insertRowEvent('audited.table_name', "audited.job_id is null and audited.rows > 0 and audited.kind in ('row', 'row_bulk', 'bulk', 'undo')", 'audited')}
  returning true`

/** The maximum number of refusals of one caller in an hour. */
const maxRefusals = 100

const refusal = `insert into table_control.audit
  (subject, table_name, action, guard, kind, rows, filter_hash, outcome, request_id, job_id)
  select $1::text, $2, $3, $4, $5, 0, $6, $7, $8, null
  where (select count(*) from (select from table_control.audit where subject = $1::text and at > now() - interval '1 hour'
    and job_id is null and outcome not in ('succeeded', 'queued') limit ${maxRefusals}) refused) < ${maxRefusals}`

/**
 * Adds a refused or failed action, which has changed nothing. At most 100 an hour of one caller are added, so that
 * mistakes do not fill the table; the log has a line for each request.
 */
export async function recordRefusal(
  run: Run,
  { subject, table, action, guard, kind, filterHash, requestId }: AuditEntry,
  outcome: string,
): Promise<void> {
  await run(refusal, [subject, table, action, guard, kind, filterHash ?? null, outcome, requestId])
}

/**
 * Adds one row to the audit. Returns true if a socket watches the changed rows. `outcome` is the code of a failure or
 * one of `succeeded`, `queued`, `planned`, `cancelled` and `unknown`.
 */
export async function recordAudit(
  run: Run,
  { subject, table, action, guard, kind, filterHash, requestId, jobId }: AuditEntry,
  rows: number,
  outcome = 'succeeded',
): Promise<boolean> {
  const values = [subject, table, action, guard, kind, rows, filterHash ?? null, outcome, requestId, jobId ?? null]
  return (await run(insertion, values)).length > 0
}

/**
 * Returns a hash of the keys of a body that select rows, such as `filters`, `params` and `selected_ids`; `undefined` if
 * it has none.
 */
export function filterHash(body: UnknownBody): string | undefined {
  const asked = ['filters', 'params', 'selected_ids', ...furtherKeys.filter((key) => Object.hasOwn(body, key))].map(
    (key) => ownValue(body, key),
  )
  if (asked.every((value) => value === undefined)) return undefined
  return hash('sha256', JSON.stringify(asked), 'base64url')
}

const furtherKeys = [...selectionKeys, ...allRowsKeys]
