import { createServer } from 'node:http'
import { loadConfig } from '../../../lib/config.ts'
import { listening } from '../../support/network/tls-over.ts'
import { token } from '../installation.ts'
import { limitClient, practicalLimit } from '../practical-limit.ts'

// The practical limit behind node:http; its token is the first argument.
const config = loadConfig()
const known = { subject: 'bench', expiresAt: Date.now() / 1000 + 86_400 }
const sql = limitClient(config.DATABASE_URL, config.DATABASE_CONNECTIONS)
const handler = practicalLimit(sql, new Map([[process.argv[2] ?? token(), known]]))
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
    response.writeHead(statusCode, { ...sent, 'content-length': Buffer.byteLength(body) }).end(body)
  })
})
process.on('disconnect', () => process.exit())
process.send?.(await listening(server))
