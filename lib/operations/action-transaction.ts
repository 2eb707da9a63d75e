import { setTimeout as sleep } from 'node:timers/promises'
import { type AuditEntry, filterHash, recordAudit, recordRefusal } from '../actions/audit.ts'
import { findValueRefusal } from '../actions/constraint-fault.ts'
import {
  claimKey,
  idempotentRequest,
  keepResponse,
  markBuilding,
  readKeptResponse,
  removeMark,
} from '../actions/idempotency.ts'
import { callerRights } from '../auth/identity.ts'
import { changeError } from '../db/change-error.ts'
import type { Run, Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import {
  createNotification,
  type NewNotification,
  notificationEntry,
  type StoredNotification,
} from '../push/notification.ts'
import { pushNotification } from '../push/push.ts'
import { jsonObject, jsonTextValue } from '../rows/json-text.ts'
import { log } from '../telemetry/log.ts'
import { claimPlan, keepPlanResponse } from './claim-plan.ts'
import { explainFailure } from './explain-failure.ts'
import { packResponse, replay } from './replay.ts'
import { isReply, type Reply } from './reply.ts'
import { assertDeliverableJson, fitJson, responseTooLarge } from './response-size.ts'
import type { Payload, TableRequest } from './table-request.ts'

/** The transaction of an action, and its entry in the audit. */
export interface ActionTransaction {
  readonly transaction: Transaction
  /** Adds the action to the audit, in this transaction, with the number of rows that it changed or read. Only once. */
  readonly audit: (rows: number, queuedAs?: string) => Promise<void>
  /** Calls `work` once this transaction is committed. It must not reject. */
  readonly onCommit: (work: () => Promise<void>) => void
}

type Kind = AuditEntry['kind']

/**
 * Runs an action's work in one transaction, together with its audit row and its `Idempotency-Key`: all of it happens,
 * or nothing. A request with a known key gets the first response and runs nothing, unless that response was a file.
 * With `changesOnlyRows`, the work is repeated if a deferred constraint refuses the commit.
 */
export async function inActionTransaction(
  request: TableRequest,
  action: string,
  kind: Kind,
  work: (action: ActionTransaction) => Promise<Payload | Reply>,
  { changesOnlyRows = false } = {},
): Promise<Reply> {
  const entry = auditEntry(request, action, kind)
  const idempotent = createIdempotencyClaim(request, action, kind)
  let committed: readonly (() => Promise<void>)[] = []
  let isCommitting = false
  const attempt = (isStrict: boolean) =>
    request.database.transaction(async (transaction) => {
      const { run } = transaction
      isCommitting = false
      if (isStrict) await run('set constraints all immediate', [])
      const waiting: (() => Promise<void>)[] = []
      committed = waiting
      const first = idempotent && (await claimKey(run, idempotent))
      if (first !== undefined) return replay(request, first)
      const applied = request.plan && (await claimPlan(request, run, request.plan))
      if (applied !== undefined) return applied
      const audit: ActionTransaction['audit'] = async (rows, jobId) => {
        if (jobId === undefined) await recordChange(request, run, entry, rows, waiting)
        else await recordAudit(run, { ...entry, jobId }, rows, 'queued')
      }
      const response = await work({ transaction, audit, onCommit: (next) => waiting.push(next) })
      // A client that does not receive the response would take the change for a failure.
      const { reply, text } = await createReply(response, request)
      // A file is kept nowhere: the same request builds it again.
      if (idempotent !== undefined && text !== undefined)
        await keepResponse(run, idempotent, packResponse(request, text))
      if (request.plan !== undefined) await keepPlanResponse(request, run, request.plan, text ?? '')
      beginCommit(request)
      isCommitting = true
      return reply
    })
  const reply = await attempt(false).catch((error: unknown) => {
    if (!isCommitting) throw error
    const refusal = changeError(error)
    if (!changesOnlyRows || findValueRefusal(refusal) === undefined) throw refusal
    // The commit undid all rows. Checked in time, a deferred constraint refuses those alone that it forbids.
    if (request.invocation !== undefined) request.invocation.mayHaveCommitted = false
    return attempt(true)
  })
  await runCommitted(request, action, committed)
  return reply
}

/** The part of a request's time after which its response no longer waits for the code that runs after the commit. */
const committedShare = 0.9

/**
 * Runs the work after a commit, for as long as the response can wait: at the deadline it would say that the outcome is
 * unknown.
 */
async function runCommitted(
  { invocation, config, table, requestId }: TableRequest,
  action: string,
  committed: readonly (() => Promise<void>)[],
): Promise<void> {
  if (committed.length === 0) return
  const run = async () => {
    for (const next of committed) await next()
  }
  const now = performance.now()
  const end = (invocation?.begunAt ?? now) + committedShare * config.REQUEST_DEADLINE_MS
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(late.resolve, Math.max(0, end - now), 'late')
  const outcome = await Promise.race([run(), late.promise])
  clearTimeout(timer)
  if (outcome === 'late')
    log(
      'error',
      'afterCommit of an action takes too long; the response does not wait for it, and its changes are saved',
      {
        table: table.name,
        action,
        request_id: requestId,
      },
    )
}

interface CreatedReply {
  readonly reply: Reply
  /** The body, which is kept for repetitions; a file has none. */
  readonly text?: string
}

/** Creates the reply of an action. Throws `response_too_large`. */
async function createReply(response: Payload | Reply, { headers, warnings = [] }: TableRequest): Promise<CreatedReply> {
  const acceptEncoding = headers['accept-encoding']
  if (isReply(response)) {
    if (typeof response.body !== 'string') return { reply: response }
    await assertDeliverableJson(response.body, acceptEncoding)
    return { reply: response, text: response.body }
  }
  // Many wide rows are more than a response may weigh; without them, the client loads its page anew.
  const shorter = 'items' in response ? [{ ...response, items: [], onSuccess: 'reload' }] : []
  for (const payload of [response, ...shorter]) {
    const text = jsonTextValue(jsonObject({ success: true, ...payload, ...(warnings.length > 0 && { warnings }) }))
    const reply = await fitJson(text, acceptEncoding)
    if (reply !== undefined) return { reply, text }
  }
  throw responseTooLarge()
}

/** Adds an action to the audit, and asks a worker after the commit to notify the watchers. */
async function recordChange(
  { wakeWatchers }: TableRequest,
  run: Run,
  entry: AuditEntry,
  rows: number,
  waiting: (() => Promise<void>)[],
): Promise<void> {
  const isWatched = await recordAudit(run, entry, rows)
  if (isWatched && wakeWatchers !== undefined) waiting.push(wakeWatchers)
}

/** Throws `timed_out`, which undoes everything, if the client has already been answered. */
function beginCommit({ invocation }: TableRequest): void {
  if (invocation === undefined) return
  if (invocation.isOverdue) throw new RequestError('timed_out')
  invocation.mayHaveCommitted = true
}

/** Adds an action that fails to the audit, after its changes were rolled back, and throws the error to answer with. */
export async function auditFailure<T>(
  request: TableRequest,
  action: string,
  kind: Kind,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    const error = await explainFailure(request, thrown)
    const outcome = error instanceof RequestError ? error.code : 'internal_error'
    const entry = auditEntry(request, action, kind)
    // The client receives the failure whether or not it could be audited.
    await request.database.transaction(({ run }) => recordRefusal(run, entry, outcome)).catch(() => undefined)
    throw error
  }
}

/** The first response to this request's `Idempotency-Key`, for work that must be done outside the transaction. */
export async function findFirstResponse(request: TableRequest, action: string, kind: Kind): Promise<Reply | undefined> {
  const idempotent = createIdempotencyClaim(request, action, kind)
  const first = idempotent && (await readKeptResponse(request.database.read, idempotent).catch(ignoreInProgress))
  return first === undefined ? undefined : replay(request, first)
}

/** Pauses between looks at a request that is building a file; the last one is repeated. */
const buildingPausesMs = [100, 200, 400, 800]

/**
 * Runs work that builds a file before the transaction of an action, one request at a time for each `Idempotency-Key`. A
 * repeated request waits for the first one and returns its response. Throws `idempotency_in_progress` after a third of
 * the time that a request has.
 */
export async function buildOnce<T>(
  request: TableRequest,
  action: string,
  kind: Kind,
  work: (marked: TableRequest) => Promise<T>,
): Promise<T | Reply> {
  const idempotent = createIdempotencyClaim(request, action, kind)
  if (idempotent === undefined) return work(request)
  const { config, database } = request
  const end = performance.now() + config.REQUEST_DEADLINE_MS / 3
  for (let looks = 0; performance.now() < end; looks++) {
    const mark = await markBuilding(database, idempotent)
    if (mark !== undefined) {
      return work({ ...request, mark }).catch(async (error: unknown) => {
        // A mark that cannot be removed now has no effect after a minute.
        await removeMark(database, idempotent, mark).catch(() => {})
        throw error
      })
    }
    const first = await readKeptResponse(database.read, idempotent).catch(ignoreInProgress)
    if (first !== undefined) return replay(request, first)
    await sleep(buildingPausesMs[looks] ?? buildingPausesMs.at(-1))
  }
  throw new RequestError('idempotency_in_progress')
}

function ignoreInProgress(error: unknown): undefined {
  if (!(error instanceof RequestError && error.code === 'idempotency_in_progress')) throw error
}

/**
 * Runs work that precedes the transaction of an action. If it is refused while a request with the same
 * `Idempotency-Key` is under way, waits for that one and returns its response: the refusal may be about what the first
 * request has changed. Throws `idempotency_in_progress` after two seconds.
 */
export async function withFirstResponse<T>(
  request: TableRequest,
  action: string,
  kind: Kind,
  work: () => Promise<T>,
): Promise<T | Reply> {
  const idempotent = createIdempotencyClaim(request, action, kind)
  try {
    return await work()
  } catch (error) {
    if (idempotent === undefined || !(error instanceof RequestError) || error.status >= 500) throw error
    return request.database.transaction(async ({ run }) => {
      const first = await claimKey(run, idempotent)
      // The key is free: rolling back ends the claim of this transaction, too.
      if (first === undefined) throw error
      return replay(request, first)
    })
  }
}

/**
 * Creates the claim of an `Idempotency-Key`. Its hash has the key of the action in place of the path, which has several
 * spellings. It has the caller's rights, so that no response is repeated to a caller who may no longer see its content.
 */
export const createIdempotencyClaim = (
  { headers, identity, guard, table, path, query, body, sentBody = body, sentAction, mark }: TableRequest,
  action: string,
  kind: Kind,
) => {
  const matched = headers['if-match'] === undefined ? [] : [headers['if-match']]
  const rights = callerRights(identity)
  const request = [guard, rights, table.name, kind, sentAction ?? action, path['id'], query, sentBody, ...matched]
  const idempotent = idempotentRequest(headers['idempotency-key'], identity.subject, request)
  return idempotent && { ...idempotent, mark }
}

const auditEntry = (
  { identity, table, guard, requestId, path, body }: TableRequest,
  action: string,
  kind: Kind,
): AuditEntry => ({
  subject: identity.subject,
  table: table.name,
  action,
  guard,
  kind,
  requestId,
  filterHash: filterHash(kind === 'row' ? { selected_ids: [path['id']] } : body),
})

type NotificationText = Omit<NewNotification, 'subject' | 'identity' | 'table'>

/**
 * Runs an action's work and stores its notification in one transaction. Returns the notification and pushes it to the
 * caller's open sockets.
 */
export async function runAndNotify(
  request: TableRequest,
  action: string,
  kind: Kind,
  work: (
    running: ActionTransaction,
  ) => Promise<{ readonly notification: NotificationText; readonly payload?: Payload }>,
): Promise<Payload | Reply> {
  const { identity } = request
  let stored: StoredNotification | undefined
  const outcome = await inActionTransaction(request, action, kind, async (running) => {
    const { notification, payload } = await work(running)
    const { subject } = identity
    stored = await createNotification(running.transaction.run, {
      ...notification,
      subject,
      identity,
      table: request.table.name,
    })
    return { ...payload, notification: notificationEntry(stored, request.language) }
  })
  if (stored !== undefined) await pushNotification(request, stored, request.language, identity)
  return outcome
}
