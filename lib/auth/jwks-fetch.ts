import type { IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'

/** The largest JWKS that is read, in bytes. */
export const largestJwks = 65_536

const longestFetchMs = 2_000
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Throws unless `url` is https, or http on this machine: keys that anyone on the way can replace verify nothing. */
export function assertJwksUrl(url: string): void {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))) return
  throw new Error(`JWKS_URL must be https (plain http is for 127.0.0.1, localhost and [::1] only): ${url}`)
}

/**
 * Downloads a JWKS. Rejects when it takes longer than 2 s in all, is larger than 64 KB, or is answered by anything other
 * than 200: a redirect is not followed, because it could lead off https.
 */
export async function fetchJwks(url: string): Promise<Uint8Array> {
  const response = await get(url)
  if (response.statusCode !== 200) {
    response.destroy()
    throw new Error(`the JWKS was answered with status ${response.statusCode}`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > largestJwks) throw new Error(`the JWKS is larger than ${largestJwks} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function get(url: string): Promise<IncomingMessage> {
  // Importing node:http loads all of undici, some 15 ms that a function with its keys behind https need not spend.
  const request = url.startsWith('https:') ? requestHttps : (await import('node:http')).request
  // A connection of its own: one kept alive would be dead after a frozen function thaws.
  const options = { agent: false, headers: { accept: 'application/json' }, signal: AbortSignal.timeout(longestFetchMs) }
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end()
  })
}
