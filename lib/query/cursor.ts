import { createHmac, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import type { Parameter } from '../db/statement.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { TotalKind } from './page.ts'

/** Where a page ended. The total travels along, so that going on never counts again. */
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
  z.int().min(0),
  z.int().min(1),
  z.int().min(0),
  z.enum(['exact', 'capped', 'estimated']),
])

/** Half of a request body: a sort value may be a long text. */
const longestCursor = 524_288
const signatureBytes = 16

/**
 * A signed position. It is valid for the very query and caller that it was made for: `context` is the table, the caller, the
 * filters, the sorts and the params, and is signed but not sent.
 */
export function writeCursor(secret: string, context: string, position: CursorPosition): string {
  const { values, offset, page, total, totalKind } = position
  const body = Buffer.from(JSON.stringify([values.map(inJson), offset, page, total, totalKind])).toString('base64url')
  return `${body}.${sign(secret, context, body)}`
}

/** JSON would turn NaN and the infinities of a float into null, which is another place in the order. */
const inJson = (value: Parameter): Parameter =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

/** Reads a cursor back. Throws `validation_failed` for one that was altered, cut or made for another query. */
export function readCursor(secret: string, context: string, cursor: unknown): CursorPosition {
  const text = typeof cursor === 'string' && cursor.length <= longestCursor ? cursor : ''
  const end = text.indexOf('.')
  const body = text.slice(0, Math.max(end, 0))
  // The texts are compared, not what they decode to: base64 has several texts for the same bytes.
  const given = Buffer.from(text.slice(end + 1))
  const expected = Buffer.from(sign(secret, context, body))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw notACursor()
  const parsed = payload.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  if (!parsed.success) throw notACursor()
  const [values, offset, page, total, totalKind] = parsed.data
  return { values, offset, page, total, totalKind }
}

const sign = (secret: string, context: string, body: string): string =>
  createHmac('sha256', secret)
    .update(`${body.length}.${body}.${context}`)
    .digest()
    .toString('base64url', 0, signatureBytes)

const notACursor = () => validationFailed({ cursor: [fieldFault('not_a_cursor')] })
