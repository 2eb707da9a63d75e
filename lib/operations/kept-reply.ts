import { type Reply, replyWith } from './reply.ts'

/** An answer as an `Idempotency-Key` keeps it: JSON as it was sent, a file as a list of its headers and its base64. */
export const keptText = ({ headers, body }: Reply): string =>
  typeof body === 'string' ? body : JSON.stringify([headers, Buffer.from(body).toString('base64')])

/** The answer that was kept. */
export function replyOf(kept: string): Reply {
  if (!kept.startsWith('[')) return replyWith(200, {}, kept)
  const [headers, content] = JSON.parse(kept) as [Readonly<Record<string, string>>, string]
  return replyWith(200, headers, Buffer.from(content, 'base64'))
}
