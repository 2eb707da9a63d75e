import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'

/** The first message of a Postgres client that wants TLS: a length of 8 bytes, and a code in place of a version. */
const tlsRequest = Buffer.from('0000000804d2162f', 'hex')

/** Answers a Postgres client's request for TLS and becomes the server's end of it. Rejects any other first message. */
export async function tlsOver(
  accepted: Socket,
  identity: { readonly key: string; readonly cert: string },
): Promise<TLSSocket> {
  const [first]: readonly Buffer[] = await once(accepted, 'data')
  if (first?.equals(tlsRequest) !== true) throw new Error('the client asked for no TLS')
  accepted.write('S')
  const secure = new TLSSocket(accepted, { isServer: true, secureContext: createSecureContext(identity) })
  secure.on('error', () => accepted.destroy())
  return secure
}
