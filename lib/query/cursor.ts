import { createCipheriv, createDecipheriv, createSecretKey, hash, type KeyObject } from 'node:crypto'
import * as z from 'zod/mini'
import type { Parameter } from '../db/statement.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError } from '../errors/request-error.ts'
import type { TotalKind } from './page.ts'

/** The position after the last row of a page. It includes the total, so that later pages need no count. */
export interface CursorPosition {
  /** The sort values of the page's last row, the row key last. */
  readonly values: readonly Parameter[]
  /** Rows before the next page. */
  readonly offset: number
  readonly page: number
  readonly total: number
  readonly totalKind: TotalKind
}

const payload = z.tuple([
  z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])),
  z.int().check(z.gte(0)),
  z.int().check(z.gte(1)),
  z.int().check(z.gte(0)),
  z.enum(['exact', 'capped', 'estimated', 'at_least']),
])

/** Half of a request body: a sort value may be a long text. */
const maxCursorLength = 524_288
const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * A sealed position: nobody can read it, since a row may be sorted by what its cells do not show, and nobody can alter it.
 * The same position has the same cursor. It opens for the very query and caller that it was made for: `context` is the table, the caller, the filters, the sorts and
 * the params, and is authenticated but not sent.
 */
export function writeCursor(secret: string, context: string, position: CursorPosition): string {
  const { values, offset, page, total, totalKind } = position
  const text = JSON.stringify([values.map(toJsonValue), offset, page, total, totalKind])
  const keys = findKeys(secret)
  const nonce = createNonce(keys, context, text)
  const sealing = createCipheriv(cipher, keys.sealing, nonce).setAAD(Buffer.from(context))
  const body = sealing.update(text)
  const sealed = Buffer.concat([nonce, body, sealing.final(), sealing.getAuthTag()])
  return sealed.toString('base64url')
}

/** JSON would turn NaN and the infinities of a float into null, which is another place in the order. */
const toJsonValue = (value: Parameter): Parameter =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

/** Opens a cursor. Throws `validation_failed` for one that was altered, cut or made for another query. */
export function readCursor(secret: string, context: string, cursor: unknown): CursorPosition {
  if (typeof cursor !== 'string' || cursor.length > maxCursorLength) throw invalidCursor()
  const sealed = Buffer.from(cursor, 'base64url')
  // base64 has several texts for the same bytes, and only one of them was given out.
  if (sealed.length < nonceBytes + tagBytes || sealed.toString('base64url') !== cursor) throw invalidCursor()
  const parsed = payload.safeParse(decrypt(secret, context, sealed))
  if (!parsed.success) throw invalidCursor()
  const [values, offset, page, total, totalKind] = parsed.data
  return { values, offset, page, total, totalKind }
}

function decrypt(secret: string, context: string, sealed: Buffer): unknown {
  const opening = createDecipheriv(cipher, findKeys(secret).sealing, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  opening.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagBytes))
  try {
    const body = opening.update(sealed.subarray(nonceBytes, -tagBytes))
    return JSON.parse(Buffer.concat([body, opening.final()]).toString())
  } catch (error) {
    throw invalidCursor(error)
  }
}

interface Keys {
  /** Made once: a key of plain bytes is prepared anew at each call, which takes longer than all the rest. */
  readonly sealing: KeyObject
  readonly nonce: string
}

/** Derives the nonce from everything that is sealed, so that it is never reused and equal positions have equal cursors. */
const createNonce = ({ nonce }: Keys, context: string, text: string): Buffer =>
  hash('sha256', `${nonce} ${context.length} ${context}${text}`, 'buffer').subarray(0, nonceBytes)

const known = new Map<string, Keys>()

/** The secret may have any length; the cipher's key has 32 bytes. */
function findKeys(secret: string): Keys {
  const keys = known.get(secret) ?? {
    sealing: createSecretKey(hash('sha256', `cursor ${secret}`, 'buffer')),
    nonce: hash('sha256', `nonce of cursor ${secret}`, 'base64'),
  }
  known.set(secret, keys)
  return keys
}

const invalidCursor = (cause?: unknown) =>
  new RequestError(
    'validation_failed',
    { field: 'cursor' },
    { cause, fields: { cursor: [fieldFault('not_a_cursor')] } },
  )
