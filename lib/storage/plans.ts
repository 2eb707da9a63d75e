import { isoMoment } from '../db/iso-moment.ts'
import type { Run } from '../db/transaction.ts'
import type { RequestPlace } from './request-place.ts'

/** The action of a plan, and who may apply it. */
export interface PlanPlace extends RequestPlace {
  readonly action: string
  readonly kind: 'row_bulk' | 'bulk'
}

/** The context in which the texts of a plan are sealed. */
export const planSeal = ({ subject, tableName, action }: Omit<PlanPlace, 'params' | 'kind' | 'guard'>): string =>
  `plan\n${JSON.stringify([subject, tableName, action])}`

/** The rows of a plan. Versions are absent where rows have none. */
export interface PlannedRows {
  readonly keys: readonly string[]
  readonly versions?: readonly string[]
  /** The number of rows that are chunks of the job with the plan's id; `keys` is then empty. */
  readonly count?: number
}

export interface StoredPlan {
  /** The sealed body of the request. */
  readonly request: { readonly sealed?: string }
  readonly rows: PlannedRows
}

/** How a plan ended, if it has. */
export interface PlanState {
  readonly isExpired: boolean
  /** The first response as JSON text, and the rights of the caller who got it. */
  readonly response: string | undefined
  readonly rights: string | undefined
}

const places = ({ subject, guard, tableName, action, kind, params }: PlanPlace) => [
  subject,
  guard,
  tableName,
  action,
  kind,
  params,
]

const isPlace = 'subject = $1 and guard = $2 and table_name = $3 and action = $4 and kind = $5 and params = $6'

/** The most plans of one caller that are neither applied nor expired. */
export const maxPlans = 100
const minutes = 15

const insertion = `insert into table_control.plans (subject, guard, table_name, action, kind, params, request, rows, id, expires_at)
  select $1::text, $2, $3, $4, $5, $6, $7::json, $8::json, coalesce($9::uuid, gen_random_uuid()), clock_timestamp() + interval '${minutes} minutes'
  where (select count(*) from (select from table_control.plans where subject = $1::text and expires_at > now()
    and applied_at is null limit ${maxPlans}) waiting) < ${maxPlans}
  returning id, ${isoMoment('expires_at')}`

/** Two plans at once of one caller would count the same others. The lock ends with the transaction. */
const turn = "select pg_advisory_xact_lock(hashtextextended('plans of ' || $1::text, 0))"

/**
 * Stores a plan, under the id of the job that has made it if there is one; `undefined` if its caller has too many.
 * Times are ISO 8601 in UTC.
 */
export async function insertPlan(
  run: Run,
  place: PlanPlace,
  { request, rows }: StoredPlan,
  id?: string,
): Promise<{ readonly id: string; readonly expiresAt: string } | undefined> {
  await run(turn, [place.subject])
  const [row] = await run(insertion, [...places(place), JSON.stringify(request), JSON.stringify(rows), id ?? null])
  return row && { id: String(row[0]), expiresAt: String(row[1]) }
}

/** Returns the plan that a job has made, if it has. */
export async function findPlanOfJob(
  run: Run,
  jobId: string,
): Promise<{ readonly count: number; readonly expiresAt: string } | undefined> {
  const text = `select (rows ->> 'count')::int, ${isoMoment('expires_at')} from table_control.plans where id = $1`
  const [row] = await run(text, [jobId])
  return row && { count: Number(row[0]), expiresAt: String(row[1]) }
}

const state = 'expires_at <= now(), response, rights'

const toState = ([isExpired, response, rights]: readonly unknown[]): PlanState => ({
  isExpired: isExpired === true,
  response: typeof response === 'string' ? response : undefined,
  rights: typeof rights === 'string' ? rights : undefined,
})

/** Returns the plan of this id and place; `undefined` for one of another caller or action. */
export async function findPlan(run: Run, place: PlanPlace, id: string): Promise<(StoredPlan & PlanState) | undefined> {
  const text = `select request::text, rows::text, ${state} from table_control.plans where ${isPlace} and id = $7`
  const [row] = await run(text, [...places(place), id])
  if (row === undefined) return undefined
  return { request: JSON.parse(String(row[0])), rows: JSON.parse(String(row[1])), ...toState(row.slice(2)) }
}

/** Locks a plan until the end of the transaction, so that of two calls at once one finds the response of the other. */
export async function lockPlan(run: Run, id: string): Promise<PlanState | undefined> {
  const [row] = await run(`select ${state} from table_control.plans where id = $1 for update`, [id])
  return row && toState(row)
}

/** Removes a plan unless it was applied. */
export async function removeUnusedPlan(run: Run, id: string): Promise<void> {
  await run('delete from table_control.plans where id = $1 and applied_at is null', [id])
}

/** Makes a plan applicable again whose job was abandoned before it ran. */
export async function releasePlan(run: Run, id: string): Promise<void> {
  const text = 'update table_control.plans set applied_at = null, response = null, rights = null where id = $1'
  await run(text, [id])
}

/** Stores the first response, in the transaction that has applied the plan. */
export async function completePlan(run: Run, id: string, response: string, rights: string): Promise<void> {
  const text = 'update table_control.plans set applied_at = now(), response = $2, rights = $3 where id = $1'
  await run(text, [id, response, rights])
}
