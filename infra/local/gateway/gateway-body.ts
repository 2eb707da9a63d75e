import type { IncomingMessage } from 'node:http'

/** API Gateway's limit, in bytes. */
const maxBodyBytes = 10 * 1024 * 1024

/** The whole body, undefined when the request has none. `too large` is known from the headers where they tell. */
export function readBody(request: IncomingMessage): Promise<Buffer | undefined | 'too large' | 'aborted'> | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (length === undefined && encoding === undefined) return undefined
  if (Number(length) > maxBodyBytes) return Promise.resolve('too large')
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBodyBytes) resolve('too large')
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.on('close', () => resolve('aborted'))
  })
}
