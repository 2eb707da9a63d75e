import { minCompressedLength, openColumn, sealColumn } from '../storage/sealed-column.ts'
import { type Reply, replyWith } from './reply.ts'
import { fitJson } from './response-size.ts'
import type { TableRequest } from './table-request.ts'

/**
 * Gives the first answer again. A client that accepts less compression than the first one may get a shorter answer, because an error
 * would say that nothing was changed.
 */
export async function replay(request: TableRequest, kept: string): Promise<Reply> {
  const answer = unpackAnswer(request, kept)
  const marked = { 'idempotency-replayed': 'true' }
  const whole = await fitJson(answer, request.headers['accept-encoding'], marked)
  return whole ?? replyWith(200, marked, shortenAnswer(answer))
}

/** The beginning of a packed answer. No other begins so, because each has `success` first. */
const packedStart = '{"packed":"'

/**
 * Returns an answer as it is kept with an `Idempotency-Key`. A long one is compressed and sealed, with the shorter answer behind it: a version
 * of the service that knows no packed answers replays that one, and runs nothing again.
 */
export function packAnswer(request: TableRequest, answer: string): string {
  if (answer.length < minCompressedLength) return answer
  const packed = sealColumn(request.config.SERVICE_SECRET, answerSeal(request), answer)
  return `${packedStart}${packed}",${shortenAnswer(answer).slice(1)}`
}

function unpackAnswer(request: TableRequest, kept: string): string {
  if (!kept.startsWith(packedStart)) return kept
  const end = kept.indexOf('"', packedStart.length)
  const opened = openColumn(request.config.SERVICE_SECRET, answerSeal(request), kept.slice(packedStart.length, end))
  // Sealed under another secret, it cannot be shown again.
  return opened ?? `{${kept.slice(end + 2)}`
}

const answerSeal = ({ identity, headers }: TableRequest): string =>
  `answer of a key\n${JSON.stringify([identity.subject, headers['idempotency-key']?.trim()])}`

/** Leaves out of an answer what grows with rows and with authors' data. The client loads its page anew. */
export function shortenAnswer(kept: string): string {
  const { code, replayed, message, counts, job, items, results } = JSON.parse(kept)
  const lists = { ...(items !== undefined && { items: [] }), ...(results !== undefined && { results: [] }) }
  return JSON.stringify({ success: true, code, replayed, onSuccess: 'reload', message, counts, job, ...lists })
}
