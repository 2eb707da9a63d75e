import type { IncomingMessage, Server } from 'node:http'

/** The names of this machine. Buckets and tools put theirs in front of `localhost`. */
const ownNames = /^(?:(?:[\w-]+\.)*localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

/**
 * Refuses what web pages of other sites ask of a server of this machine: 421 for a host name that leads here for a
 * while, and 403 for a POST, which browsers send to any site. Call it when the server has its listener.
 */
export function refuseOtherSites(server: Server): void {
  const listeners = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const status = findRefusal(request)
    if (status === undefined) for (const listener of listeners) listener.call(server, request, response)
    else response.writeHead(status, { connection: 'close' }).end()
  })
}

function findRefusal({ method, headers: { host = '', origin } }: IncomingMessage): 421 | 403 | undefined {
  if (!ownNames.test(host)) return 421
  const isOwn = origin === undefined || ownNames.test(origin.replace(/^https?:\/\//, ''))
  return method === 'POST' && !isOwn ? 403 : undefined
}
