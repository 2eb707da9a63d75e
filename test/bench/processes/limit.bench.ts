import { createServer } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { loadConfig } from '../../../lib/config.ts'
import { bindPort } from '../../support/network/bind-port.ts'
import { token } from '../installation.ts'
import { limitClient, practicalLimit } from '../practical-limit.ts'

// The practical limit behind node:http; its token is the first argument.
const config = loadConfig()
const known = { subject: 'bench', expiresAt: Date.now() / 1000 + 86_400 }
const sql = limitClient(config.DATABASE_URL, config.DATABASE_CONNECTIONS)
const handler = practicalLimit(sql, new Map([[process.argv[2] ?? token(), known]]))

/** Compresses at the levels that the service uses, so that both sides send the same bytes. */
function encode(body: Buffer, coding: string | undefined): Buffer {
  if (coding === 'gzip') return gzipSync(body, { level: 3 })
  if (coding !== 'br') return body
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  return brotliCompressSync(body, { params: { [BROTLI_PARAM_QUALITY]: 1, [BROTLI_PARAM_SIZE_HINT]: body.length } })
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    const headers = { authorization: request.headers.authorization ?? '' }
    const {
      statusCode = 500,
      headers: sent,
      body = '',
    } = await handler({ headers, body: Buffer.concat(chunks).toString() })
    const coding = request.headers['accept-encoding']
    const content = encode(Buffer.from(body), coding)
    const coded = coding !== undefined && { 'content-encoding': coding, vary: 'accept-encoding' }
    response.writeHead(statusCode, { ...sent, ...coded, 'content-length': content.length }).end(content)
  })
})
process.on('disconnect', () => process.exit())
process.send?.(await bindPort(server))
