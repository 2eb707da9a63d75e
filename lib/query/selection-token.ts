import { hash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as z from 'zod/mini'
import { callerRights, plainValue } from '../auth/identity.ts'
import type { Database } from '../db/database.ts'
import { actionFault } from '../errors/action-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { hasVersions } from '../rows/row-version.ts'
import type { OpenedTable, ViewedTable } from '../table/open-table.ts'
import type { Plan } from './plan.ts'
import type { PlanExtensions } from './plan-extensions.ts'
import { openText, sealText } from './sealed-text.ts'
import {
  compareSketches,
  type MovedRows,
  maxSketchedRows,
  readSelectionState,
  type SelectionState,
  type Sketch,
  selectionStateStatement,
} from './selection-sketch.ts'

/** A table as one caller sees it, with the saved view that has filled in the request. */
export type SelectedTable = ViewedTable & { readonly savedView?: SavedViewRevision }

export interface SavedViewRevision {
  readonly id: string
  readonly revision: number
}

type Session = Pick<Database, 'read'>

/** The parts of a request that select rows, and the moment of its periods. */
type Selecting = Pick<PlanExtensions, 'now' | 'resolved'>

const textOrNull = z.union([z.string(), z.null()])

const payload = z.tuple([z.int(), z.string(), z.int(), textOrNull, textOrNull])

const context = ({ view, context: { identity } }: ViewedTable): string =>
  `selection\n${JSON.stringify([view.table.name, identity.subject])}`

/**
 * Returns a hash that is equal for requests with the same filters, search, groups, params, view, rights and periods.
 */
function hashMeaning({ context: { identity, params }, savedView }: SelectedTable, plan: Plan, { resolved }: Selecting) {
  const opened = plan.opened.map(({ key, value }) => [key.column.key, key.bucket, key.timeZone, value])
  const periods = resolved.map(({ field, value, from, to }) => [field, value, from, to])
  const view = savedView && [savedView.id, savedView.revision]
  const meaning = [callerRights(identity), params, plan.meaning(), opened, periods, view]
  return hash('sha256', JSON.stringify(meaning, plainValue), 'base64url').slice(0, 22)
}

/** Writes the token of the selected rows as they are now, by one statement. Sealed, it tells nothing of them. */
export async function writeSelectionToken(
  session: Session,
  request: OpenedTable & SelectedTable,
  plan: Plan,
  selecting: Selecting,
  secret: string,
): Promise<string> {
  const { rows, digest, sketch } = await readState(session, request, plan)
  const parts: z.output<typeof payload> = [
    selecting.now,
    hashMeaning(request, plan, selecting),
    rows,
    digest ?? null,
    sketch === undefined ? null : writeSketch(sketch),
  ]
  return sealText(secret, context(request), JSON.stringify(parts))
}

async function readState(session: Session, opened: OpenedTable, plan: Plan): Promise<SelectionState> {
  const isVersioned = await hasVersions(session, opened.view.table)
  const { text, parameters } = selectionStateStatement(opened, plan, isVersioned)
  const [row] = await session.read(text, parameters)
  return readSelectionState(row)
}

const cellBytes = 12

function writeSketch(sketch: Sketch): string {
  const bytes = Buffer.alloc(sketch.size * cellBytes)
  for (const [index, [place, { count, marks }]] of [...sketch].sort(([one], [other]) => one - other).entries()) {
    bytes.writeUInt16LE(place, index * cellBytes)
    bytes.writeUInt16LE(count, index * cellBytes + 2)
    bytes.writeBigInt64LE(marks, index * cellBytes + 4)
  }
  return deflateRawSync(bytes).toString('base64url')
}

function readSketch(text: string): Sketch {
  const bytes = inflateRawSync(Buffer.from(text, 'base64url'))
  return new Map(
    Array.from({ length: bytes.length / cellBytes }, (_, index) => {
      const at = index * cellBytes
      return [bytes.readUInt16LE(at), { count: bytes.readUInt16LE(at + 2), marks: bytes.readBigInt64LE(at + 4) }]
    }),
  )
}

/** A selection as its token describes it. */
export interface TokenSelection {
  /** When the token was made: periods such as `today` are those of this moment, in epoch milliseconds. */
  readonly at: number
  readonly state: SelectionState
  /**
   * Throws `selection_mismatch` if the request selects otherwise than the token, such as by other filters, search or
   * groups.
   */
  readonly assertSame: (plan: Plan, extensions: PlanExtensions | undefined) => void
}

/** Opens a token. Throws `validation_failed` for one that was altered, or made for another caller or table. */
export function openSelectionToken(viewed: SelectedTable, token: unknown, secret: string): TokenSelection {
  const text = openText(secret, context(viewed), token)
  const parsed = payload.safeParse(text === undefined ? undefined : JSON.parse(text))
  if (!parsed.success) throw validationFailed({ selection_token: [actionFault('not_a_selection_token')] })
  const [at, meaning, rows, digest, sketch] = parsed.data
  return {
    at,
    state: { rows, ...(digest !== null && { digest }), ...(sketch !== null && { sketch: readSketch(sketch) }) },
    assertSame: (plan, extensions) => {
      const selecting = extensions ?? { now: at, resolved: [] }
      if (hashMeaning(viewed, plan, selecting) !== meaning) throw new RequestError('selection_mismatch')
    },
  }
}

/**
 * Throws `selection_moved`, with the numbers, if more rows than `tolerance` have come, gone or changed since the token
 * was made.
 */
export async function assertUnmoved(
  session: Session,
  opened: OpenedTable,
  plan: Plan,
  { state: before }: TokenSelection,
  tolerance: number,
): Promise<void> {
  const now = await readState(session, opened, plan)
  const moved = countMoved(before, now)
  const known = moved && moved.entered + moved.left + moved.changed
  // Only the numbers of rows can be compared where there are more than a sketch holds.
  const isCountOnly = before.rows > maxSketchedRows && now.rows > maxSketchedRows
  const total = isCountOnly ? Math.abs(now.rows - before.rows) : known
  if (total !== undefined && total <= tolerance) return
  const unknown = { entered: null, left: null, changed: null }
  const selection = { rows: before.rows, rows_now: now.rows, ...(moved ?? unknown), tolerance }
  throw new RequestError('selection_moved', {}, { payload: { selection } })
}

function countMoved(before: SelectionState, now: SelectionState): MovedRows | undefined {
  if (before.sketch === undefined || now.sketch === undefined) return undefined
  if (before.rows === now.rows && before.digest === now.digest) return { entered: 0, left: 0, changed: 0 }
  const moved = compareSketches(before.sketch, now.sketch)
  // The digests differ, so something has moved.
  return moved !== undefined && moved.entered + moved.left + moved.changed > 0 ? moved : undefined
}
