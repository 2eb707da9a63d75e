import { minCompressedLength, openColumn, sealColumn } from '../storage/sealed-column.ts'
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

/**
 * Returns a response as it is kept with an `Idempotency-Key`. A long one is compressed and sealed, with the shorter
 * response behind it: a version of the service that knows no packed responses replays that one, and runs nothing again.
 */
export function packResponse(request: TableRequest, response: string): string {
  if (response.length < minCompressedLength) return response
  const packed = sealColumn(request.config.SERVICE_SECRET, keyResponseSeal(request), response)
  return `${packedStart}${packed}",${shortenResponse(response).slice(1)}`
}

function unpackResponse(request: TableRequest, kept: string): string {
  if (!kept.startsWith(packedStart)) return kept
  const end = kept.indexOf('"', packedStart.length)
  const opened = openColumn(
    request.config.SERVICE_SECRET,
    keyResponseSeal(request),
    kept.slice(packedStart.length, end),
  )
  // Sealed under another secret, it cannot be shown again.
  return opened ?? `{${kept.slice(end + 2)}`
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
