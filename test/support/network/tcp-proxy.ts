import { connect, createServer, type Socket } from 'node:net'
import type { Transform } from 'node:stream'
import { bindPort } from './bind-port.ts'
import { createToxicStream, type Toxic } from './tcp-toxics.ts'
import { tlsOver } from './tls-over.ts'

export interface TcpProxyOptions {
  /** A database URL; its host and port are what the proxy stands before. */
  readonly target: string
  /** Added to everything the client sends. */
  readonly latencyMs?: number
  /** Makes the proxy the TLS end of a Postgres server, which itself is asked without TLS. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** How the proxy treats connections from now on: `silent` accepts and never answers. */
type ProxyMode = 'forward' | 'close' | 'silent'

export interface TcpProxy {
  /** The database URL through the proxy, under the name `host`. */
  readonly url: (host?: string) => string
  /** How many connections were accepted so far. */
  readonly connections: () => number
  /** How often a client began to speak after the server had spoken: each is a wait for the network and back. */
  readonly roundTrips: () => number
  readonly treat: (mode: ProxyMode) => void
  /** Spoils all connections in this way from now on; `undefined` heals them. */
  readonly spoil: (toxic: Toxic | undefined) => void
  /** Whether a connection is still to be cut. */
  readonly isSpoilt: () => boolean
  /** Sends new connections to another server, as the endpoint of a cluster does after a failover. */
  readonly moveTo: (target: string) => void
  /** Resets the present connections. */
  readonly resetAll: () => void
  /** Drops all data of the present connections without closing them. */
  readonly freeze: () => void
  readonly close: () => Promise<void>
}

/** Stands between a client and Postgres on 127.0.0.1, counts, and fails in the ways a network fails. */
export async function startTcpProxy({ target, latencyMs = 0, tls }: TcpProxyOptions): Promise<TcpProxy> {
  let { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let connections = 0
  let roundTrips = 0
  let mode: ProxyMode = 'forward'
  let toxic: Toxic | undefined
  const heal = (): void => {
    toxic = undefined
  }

  const server = createServer({ noDelay: true }, async (accepted) => {
    connections += 1
    hold(accepted)
    if (mode === 'close') accepted.destroy()
    if (mode !== 'forward') return
    const client = tls === undefined ? accepted : await tlsOver(accepted, tls).catch(() => accepted.destroy())
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true })
    hold(client)
    hold(upstream)
    const pair = { client, server: upstream }
    const up = createToxicStream(pair, 'client', () => toxic, heal)
    const down = createToxicStream(pair, 'server', () => toxic, heal)
    forward({ client, upstream, up, down }, latencyMs, () => {
      roundTrips += 1
    })
  })

  function hold(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  const ownPort = await bindPort(server)
  return {
    url: (host = '127.0.0.1') => withAuthority(target, host, ownPort),
    connections: () => connections,
    roundTrips: () => roundTrips,
    treat: (next) => {
      mode = next
    },
    spoil: (next) => {
      toxic = next
    },
    isSpoilt: () => toxic !== undefined,
    moveTo: (next) => {
      ;({ hostname, port } = new URL(next))
    },
    resetAll: () => {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    freeze: () => {
      for (const socket of sockets) socket.pause()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface ForwardedStreams {
  readonly client: Socket
  readonly upstream: Socket
  readonly up: Transform
  readonly down: Transform
}

function forward({ client, upstream, up, down }: ForwardedStreams, latencyMs: number, onRoundTrip: () => void): void {
  let serverSpoke = true
  up.on('data', (chunk) => upstream.write(chunk))
  down.on('data', (chunk) => client.write(chunk))
  client.on('data', (chunk) => {
    if (serverSpoke) onRoundTrip()
    serverSpoke = false
    if (latencyMs === 0) up.write(chunk)
    else setTimeout(() => up.write(chunk), latencyMs)
  })
  upstream.on('data', (chunk) => {
    serverSpoke = true
    down.write(chunk)
  })
  client.on('close', () => upstream.destroy())
  upstream.on('close', () => client.destroy())
}

function withAuthority(target: string, host: string, port: number): string {
  const url = new URL(target)
  url.hostname = host
  url.port = String(port)
  return url.href
}
