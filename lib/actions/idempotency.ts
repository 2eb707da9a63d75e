import { createHash } from 'node:crypto'
import type { Transaction } from '../db/transaction.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { isReadableText } from '../errors/readable-text.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'

type Run = Transaction['run']

/** An `Idempotency-Key` and the request that it came with. Keys belong to one caller each and are kept for 24 hours. */
export interface IdempotentRequest {
  readonly subject: string
  readonly key: string
  /** Equal for the same request: the caller's rights, endpoint, path and body. */
  readonly requestHash: string
}

const maxKeyLength = 255

/** Reads the header; `undefined` where there is none. Throws `validation_failed` for a key that is empty or too long. */
export function idempotentRequest(
  header: string | undefined,
  subject: string,
  request: readonly unknown[],
): IdempotentRequest | undefined {
  if (header === undefined) return undefined
  const key = header.trim()
  const fault = findKeyFault(key)
  if (fault !== undefined) throw validationFailed({ 'Idempotency-Key': [fieldFault(fault, { most: maxKeyLength })] })
  return {
    subject,
    key,
    requestHash: createHash('sha256').update(JSON.stringify(request, withoutBigints)).digest('base64url'),
  }
}

const findKeyFault = (key: string) => {
  if (key === '') return 'empty'
  if (key.length > maxKeyLength) return 'too_long'
  return isReadableText(key) ? undefined : 'unreadable_text'
}

/** Claims may be of any type that a schema makes. */
const withoutBigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

// Waits for a request with this key that is under way, because its row is not committed yet.
const claim = `insert into table_control.idempotency_keys as known (subject, key, request_hash) values ($1, $2, $3)
  on conflict (subject, key) do update set request_hash = excluded.request_hash, response = null, created_at = now()
  where known.created_at < now() - interval '24 hours' returning true`

/**
 * Takes the key for this transaction, whose effect it is recorded with: rolled back, it is free again. Answers `undefined`, or
 * the first answer where there is one. Throws `idempotency_key_reused`, or `idempotency_in_progress` after two seconds.
 */
export async function claimKey(
  run: Run,
  { subject, key, requestHash }: IdempotentRequest,
): Promise<string | undefined> {
  const claimed = await run(claim, [subject, key, requestHash]).catch(inProgress)
  if (claimed.length > 0) return undefined
  return firstAnswer(run, { subject, key, requestHash })
}

const selection = `select request_hash, response from table_control.idempotency_keys
  where subject = $1 and key = $2 and created_at >= now() - interval '24 hours'`

/** The first answer to a request with this key, as JSON text; `undefined` where there is none yet. */
export async function firstAnswer(
  run: Run,
  { subject, key, requestHash }: IdempotentRequest,
): Promise<string | undefined> {
  const [known] = await run(selection, [subject, key])
  if (known === undefined) return undefined
  const [hash, response] = known
  if (hash !== requestHash) throw new RequestError('idempotency_key_reused')
  // Versions before this one kept files, as a list.
  return typeof response === 'string' && response.startsWith('{') ? response : undefined
}

const completion = 'update table_control.idempotency_keys set response = $3 where subject = $1 and key = $2'

/** Keeps the answer, as JSON text, in the transaction that has claimed the key. */
export async function keepAnswer(run: Run, { subject, key }: IdempotentRequest, answer: string): Promise<void> {
  await run(completion, [subject, key, answer])
}

function inProgress(error: unknown): never {
  if (error instanceof RequestError && error.code === 'row_busy') throw new RequestError('idempotency_in_progress')
  throw error
}
