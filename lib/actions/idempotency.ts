import { hash, randomUUID } from 'node:crypto'
import { plainValue } from '../auth/identity.ts'
import type { Database } from '../db/database.ts'
import type { Run } from '../db/transaction.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { isReadableText } from '../errors/readable-text.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'

/** An `Idempotency-Key` and the request that it came with. Keys belong to one caller each and are kept for 24 hours. */
export interface IdempotentRequest {
  readonly subject: string
  readonly key: string
  /** Equal for the same guard, rights, table, kind, action, row id, query, body and `If-Match`. */
  readonly requestHash: string
  /** The mark under which this request has the key while it builds a file; see `markBuilding`. */
  readonly mark?: string | undefined
}

const maxKeyLength = 255

/**
 * Reads the header; `undefined` where there is none. Throws `validation_failed` for a key that is empty or too long.
 */
export function idempotentRequest(
  header: string | undefined,
  subject: string,
  request: readonly unknown[],
): IdempotentRequest | undefined {
  if (header === undefined) return undefined
  const key = header.trim()
  const fault = findKeyFault(key)
  if (fault !== undefined) throw validationFailed({ 'Idempotency-Key': [fieldFault(fault, { max: maxKeyLength })] })
  return {
    subject,
    key,
    requestHash: hash('sha256', JSON.stringify(request, plainValue), 'base64url'),
  }
}

const findKeyFault = (key: string) => {
  if (key === '') return 'empty'
  if (key.length > maxKeyLength) return 'too_long'
  return isReadableText(key) ? undefined : 'unreadable_text'
}

const markPrefix = 'building:'

/** No function lives for as long after it has begun to build a file. */
const maxBuilding = "interval '1 minute'"

// Waits for a request with this key that is under way, because its row is not committed yet.
const claim = `insert into table_control.idempotency_keys as known (subject, key, request_hash) values ($1, $2, $3)
  on conflict (subject, key) do update set request_hash = excluded.request_hash, response = null, created_at = now()
  where known.created_at < now() - interval '24 hours' returning true`

/**
 * Takes the key for this transaction, whose effect it is recorded with: rolled back, it is free again. Returns
 * `undefined`, or the first response where there is one. Throws `idempotency_key_reused`, or `idempotency_in_progress`
 * after two seconds.
 */
export async function claimKey(run: Run, request: IdempotentRequest): Promise<string | undefined> {
  const { subject, key, requestHash, mark } = request
  if (mark !== undefined) return takeMarkedKey(run, subject, key, mark)
  const claimed = await run(claim, [subject, key, requestHash]).catch(inProgress)
  if (claimed.length > 0) return undefined
  return readKeptResponse(run, request)
}

/** Takes the key from the mark of this request, which another may have replaced if building took too long. */
async function takeMarkedKey(run: Run, subject: string, key: string, mark: string): Promise<undefined> {
  const text =
    'update table_control.idempotency_keys set response = null where subject = $1 and key = $2 and response = $3'
  const taken = await run(`${text} returning true`, [subject, key, mark]).catch(inProgress)
  if (taken.length === 0) throw new RequestError('idempotency_in_progress')
}

const selection = `select request_hash, response, created_at > now() - ${maxBuilding} from table_control.idempotency_keys
  where subject = $1 and key = $2 and created_at >= now() - interval '24 hours'`

/**
 * Reads the first response to a request with this key, as JSON text; `undefined` if there is none. Throws
 * `idempotency_key_reused` for another request, and `idempotency_in_progress` while the first one builds a file.
 */
export async function readKeptResponse(
  run: Run,
  { subject, key, requestHash }: IdempotentRequest,
): Promise<string | undefined> {
  const [known] = await run(selection, [subject, key])
  if (known === undefined) return undefined
  const [hash, response, isRecent] = known
  if (hash !== requestHash) throw new RequestError('idempotency_key_reused')
  if (isRecent === true && String(response).startsWith(markPrefix)) throw new RequestError('idempotency_in_progress')
  // Versions before this one kept files, as a list.
  return typeof response === 'string' && response.startsWith('{') ? response : undefined
}

const completion = 'update table_control.idempotency_keys set response = $3 where subject = $1 and key = $2'

/** Keeps the response, a JSON text, in the transaction that has claimed the key. */
export async function keepResponse(run: Run, { subject, key }: IdempotentRequest, text: string): Promise<void> {
  await run(completion, [subject, key, text])
}

function inProgress(error: unknown): never {
  if (error instanceof RequestError && error.code === 'row_busy') throw new RequestError('idempotency_in_progress')
  throw error
}

const marking = `insert into table_control.idempotency_keys as known (subject, key, request_hash, response)
  values ($1, $2, $3, $4)
  on conflict (subject, key) do update
    set request_hash = excluded.request_hash, response = excluded.response, created_at = now()
  where known.created_at < now() - interval '24 hours' or (known.request_hash = excluded.request_hash
    and coalesce(known.response, '') not like '{%'
    and (coalesce(known.response, '') not like '${markPrefix}%' or known.created_at < now() - ${maxBuilding}))
  returning true`

/**
 * Marks the key of a request that builds a file before its transaction, so that a repeated request builds no second
 * one. Returns the mark, or `undefined` if another request has the key.
 */
export async function markBuilding(
  { transaction }: Pick<Database, 'transaction'>,
  { subject, key, requestHash }: IdempotentRequest,
): Promise<string | undefined> {
  const mark = markPrefix + randomUUID()
  const marked = await transaction(({ run }) => run(marking, [subject, key, requestHash, mark]).catch(inProgress))
  return marked.length > 0 ? mark : undefined
}

const unmarking = 'delete from table_control.idempotency_keys where subject = $1 and key = $2 and response = $3'

/** Frees a key that still has this mark, because the request has failed. */
export const removeMark = (
  { transaction }: Pick<Database, 'transaction'>,
  { subject, key }: IdempotentRequest,
  mark: string,
): Promise<unknown> => transaction(({ run }) => run(unmarking, [subject, key, mark]))
