import type { Duplex } from 'node:stream'

/** Calls `exceeded` for each WebSocket frame of more than `largest` bytes, as soon as its head has arrived. */
export function watchFrames(socket: Duplex, largest: number, exceeded: () => void): void {
  let head = Buffer.alloc(0)
  let payload = 0
  // Ahead of the listener that reads the messages, which must not see one that is refused.
  socket.prependListener('data', (chunk: Buffer) => {
    let at = 0
    while (at < chunk.length) {
      const skipped = Math.min(payload, chunk.length - at)
      payload -= skipped
      at += skipped
      if (at === chunk.length) return
      head = Buffer.concat([head, chunk.subarray(at, at + 1)])
      at += 1
      const length = payloadLength(head)
      if (length === undefined) continue
      if (length > largest) exceeded()
      head = Buffer.alloc(0)
      payload = length
    }
  })
}

/** Undefined while the head of the frame is not complete. */
function payloadLength(head: Buffer): number | undefined {
  const second = head[1]
  if (second === undefined) return undefined
  const short = second & 0x7f
  const extended = short === 127 ? 8 : short === 126 ? 2 : 0
  const mask = second & 0x80 ? 4 : 0
  if (head.length < 2 + extended + mask) return undefined
  if (extended === 0) return short
  return extended === 2 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2))
}
