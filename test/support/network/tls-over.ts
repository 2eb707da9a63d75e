import type { AddressInfo, Server, Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'

/** Answers a Postgres client's request for TLS and becomes the server's end of it. */
export async function tlsOver(
  accepted: Socket,
  identity: { readonly key: string; readonly cert: string },
): Promise<TLSSocket> {
  await new Promise((resolve) => accepted.once('data', resolve))
  accepted.write('S')
  const secure = new TLSSocket(accepted, { isServer: true, secureContext: createSecureContext(identity) })
  secure.on('error', () => accepted.destroy())
  return secure
}

/** Binds a server to a free port of 127.0.0.1 and returns the port. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
