import * as z from 'zod/mini'
import type { Parameter } from '../db/statement.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { TotalKind } from './page.ts'
import { openOnDay, type PeriodSeal, sealOnDay } from './period-seal.ts'

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

/**
 * Writes a position as a cursor; equal positions have equal cursors. It is encrypted, because rows may be sorted by
 * what their cells do not show. It opens only on the day of its periods and with the same context: the table, the
 * caller, the filters, the sorts and the params. The context is authenticated but not sent.
 */
export function writeCursor(seal: PeriodSeal, position: CursorPosition): string {
  const { values, offset, page, total, totalKind } = position
  return sealOnDay(seal, JSON.stringify([values.map(toJsonValue), offset, page, total, totalKind]))
}

/** JSON would turn NaN and the infinities of a float into null, which is another place in the order. */
const toJsonValue = (value: Parameter): Parameter =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

/** Opens a cursor. Throws `validation_failed` for one that was altered, cut or made for another query. */
export function readCursor(seal: PeriodSeal, cursor: unknown): CursorPosition {
  const text = openOnDay(seal, cursor)
  const parsed = payload.safeParse(text === undefined ? undefined : JSON.parse(text))
  if (!parsed.success) throw invalidCursor()
  const [values, offset, page, total, totalKind] = parsed.data
  return { values, offset, page, total, totalKind }
}

const invalidCursor = () => validationFailed({ cursor: [fieldFault('not_a_cursor')] })
