import { hash } from 'node:crypto'
import { minCompressedLength, openColumn, sealColumn } from '../storage/sealed-column.ts'
import { isFormatted } from '../table/column-definition.ts'
import { type Reply, replyWith } from './reply.ts'
import { fitJson } from './response-size.ts'
import type { TableRequest } from './table-request.ts'

/**
 * Gives the first response again. A client that accepts less compression than the first one may get a shorter response,
 * because an error would say that nothing was changed.
 */
export async function replay(request: TableRequest, kept: string): Promise<Reply> {
  const response = unpackResponse(request, kept)
  const marked = { 'idempotency-replayed': 'true' }
  const whole = await fitJson(response, request.headers['accept-encoding'], marked)
  return whole ?? replyWith(200, marked, shortenResponse(response))
}

/** The beginning of a packed response. No other begins so, because each has `success` first. */
const packedStart = '{"packed":"'

/** The parts of a response that may have cells. */
const cellParts = /"(data|items|results|effects)":/

/**
 * Returns a response as it is kept with an `Idempotency-Key`. A long one, or one that may have cells, is sealed, with a
 * digest of what its caller sees and the shorter response behind it: a version of the service that cannot open it
 * replays the shorter one, and runs nothing again.
 */
export function packResponse(request: TableRequest, response: string): string {
  if (response.length < minCompressedLength && !cellParts.test(response)) return response
  const packed = sealColumn(request.config.SERVICE_SECRET, keyResponseSeal(request), response)
  const facts = { packed, digest: describeItems(request) }
  return `${JSON.stringify(facts).slice(0, -1)},${shortenResponse(response).slice(1)}`
}

function unpackResponse(request: TableRequest, kept: string): string {
  if (!kept.startsWith(packedStart)) return kept
  const { packed, digest = describeItems(request), ...shorter } = JSON.parse(kept)
  const isShown = digest === describeItems(request)
  const opened = isShown ? openColumn(request.config.SERVICE_SECRET, keyResponseSeal(request), packed) : undefined
  // Sealed under another secret, or with columns that another version of the table has hidden since.
  return opened ?? JSON.stringify(shorter)
}

/**
 * Returns a digest of what the items of a caller have. A deployment may hide a column, change its type or give it a
 * format, and remove an action, while responses with items are kept.
 */
export const describeItems = ({ view }: TableRequest): string => {
  const columns = view.columns.map(({ key, type, source, definition }) => [
    key,
    type,
    source?.sqlType ?? null,
    isFormatted(definition),
  ])
  const actions = view.rowActions.map(({ key }) => key)
  return hash('sha256', JSON.stringify([columns, actions]), 'base64url').slice(0, 22)
}

// Stored responses are sealed with this text, so it stays as it is.
const keyResponseSeal = ({ identity, headers }: TableRequest): string =>
  `answer of a key\n${JSON.stringify([identity.subject, headers['idempotency-key']?.trim()])}`

/** Leaves out of a response what grows with rows and with authors' data. The client loads its page anew. */
export function shortenResponse(kept: string): string {
  const { code, replayed, message, counts, job, items, results } = JSON.parse(kept)
  const lists = { ...(items !== undefined && { items: [] }), ...(results !== undefined && { results: [] }) }
  return JSON.stringify({ success: true, code, replayed, onSuccess: 'reload', message, counts, job, ...lists })
}
