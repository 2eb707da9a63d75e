import { type Reply, replyWith } from './reply.ts'
import { fitJson } from './response-size.ts'
import type { TableRequest } from './table-request.ts'

/**
 * Gives the first answer again. A client that accepts less compression than the first one may get a shorter answer, because an error
 * would say that nothing was changed.
 */
export async function replay({ headers }: TableRequest, kept: string): Promise<Reply> {
  const marked = { 'idempotency-replayed': 'true' }
  return (await fitJson(kept, headers['accept-encoding'], marked)) ?? replyWith(200, marked, shortenAnswer(kept))
}

/** Leaves out of an answer what grows with rows and with authors' data. The client loads its page anew. */
export function shortenAnswer(kept: string): string {
  const { code, replayed, message, counts, job, items, results } = JSON.parse(kept)
  const lists = { ...(items !== undefined && { items: [] }), ...(results !== undefined && { results: [] }) }
  return JSON.stringify({ success: true, code, replayed, onSuccess: 'reload', message, counts, job, ...lists })
}
