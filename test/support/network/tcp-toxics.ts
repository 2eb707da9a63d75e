import type { Socket } from 'node:net'
import { Transform } from 'node:stream'

/** Ways in which a network or a proxy spoils a connection, from the moment they are set, on all connections. */
export type Toxic =
  /** Delays every chunk in both directions. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Lets this many bytes per second through to the client. */
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  /** Cuts everything into pieces of this size, each in a packet of its own. */
  | { readonly kind: 'slicer'; readonly bytes: number }
  /** Closes each connection in order after this many bytes to the client. */
  | { readonly kind: 'limit'; readonly bytes: number }
  /** Resets each connection after this many bytes to the client. */
  | { readonly kind: 'reset'; readonly bytes: number }
  /**
   * Resets one connection instead of passing on a chunk that holds this text, after the client has sent the text of
   * `after`.
   */
  | { readonly kind: 'cut'; readonly from: 'client' | 'server'; readonly containing: string; readonly after?: string }

/** The two ends of one connection through the proxy. */
export interface ProxiedPair {
  readonly client: Socket
  readonly server: Socket
  /** The text of a `cut` that the client has sent. */
  armedBy?: string
  /** The name under which the client prepared its commit: later ones are sent without the text. */
  commitName?: string
}

/** Creates what bytes in one direction pass through. `cutDone` is called when a `cut` has happened. */
export function createToxicStream(
  pair: ProxiedPair,
  from: 'client' | 'server',
  toxic: () => Toxic | undefined,
  cutDone: () => void,
): Transform {
  let passed = 0
  const contains = (chunk: Buffer, text: string): boolean =>
    chunk.includes(text) || (text === 'commit' && chunk.includes(`\0${pair.commitName}\0`))
  const isCut = (current: Toxic | undefined, chunk: Buffer): boolean => {
    if (current?.kind !== 'cut') return false
    if (from === 'client' && current.after !== undefined && chunk.includes(current.after)) pair.armedBy = current.after
    return (
      current.from === from && contains(chunk, current.containing) && (!current.after || pair.armedBy === current.after)
    )
  }
  const destroy = (abruptly: boolean): void => {
    if (abruptly) pair.client.resetAndDestroy()
    else pair.client.end()
    pair.server.destroy()
  }
  /** How much of the chunk gets through before the connection ends; `undefined` for all of it. */
  const allowance = (current: Toxic | undefined, chunk: Buffer): number | undefined => {
    if (isCut(current, chunk)) return 0
    if (from === 'client' || (current?.kind !== 'limit' && current?.kind !== 'reset')) return undefined
    return passed + chunk.length > current.bytes ? Math.max(0, current.bytes - passed) : undefined
  }
  return new Transform({
    async transform(chunk: Buffer, _encoding, done) {
      const current = toxic()
      const [, name] = /\b([a-z0-9]+)\0commit\0/.exec(chunk.toString('latin1')) ?? []
      if (from === 'client' && name !== undefined) pair.commitName = name
      const allowed = allowance(current, chunk)
      if (allowed !== undefined) {
        if (allowed > 0) this.push(chunk.subarray(0, allowed))
        if (current?.kind === 'cut') cutDone()
        destroy(current?.kind !== 'limit')
        return
      }
      for (const piece of pieces(chunk, current)) {
        await pause(pauseMs(piece, current, from))
        this.push(piece)
      }
      passed += chunk.length
      done()
    },
  })
}

const pause = (ms: number): Promise<unknown> | undefined =>
  ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined

function pauseMs(piece: Buffer, toxic: Toxic | undefined, from: 'client' | 'server'): number {
  if (toxic?.kind === 'latency') return toxic.ms
  if (toxic?.kind === 'slicer') return 1
  if (toxic?.kind !== 'bandwidth' || from === 'client') return 0
  return (piece.length / toxic.bytesPerSecond) * 1_000
}

function pieces(chunk: Buffer, toxic: Toxic | undefined): readonly Buffer[] {
  const size = toxic?.kind === 'slicer' ? toxic.bytes : toxic?.kind === 'bandwidth' ? 4_096 : chunk.length
  return Array.from({ length: Math.ceil(chunk.length / size) }, (_, index) =>
    chunk.subarray(index * size, (index + 1) * size),
  )
}
