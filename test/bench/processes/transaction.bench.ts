import { createServer } from 'node:http'
import { loadConfig } from '../../../lib/config.ts'
import { bindPort } from '../../support/network/bind-port.ts'
import { bareTransaction } from '../bare-transaction.ts'
import { limitClient } from '../practical-limit.ts'

// The bare transaction behind node:http. The first argument is the length of a response, which the row is padded to.
const length = Number(process.argv[2])
const config = loadConfig()
const sql = limitClient(config.DATABASE_URL, config.DATABASE_CONNECTIONS)
const server = createServer((request, response) => {
  request.resume().on('end', async () => {
    const row = await bareTransaction(sql, Number(request.url?.split('/').at(-1)))
    const body = Buffer.from(JSON.stringify(row).padEnd(length))
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }
    response.writeHead(200, headers).end(body)
  })
})
process.on('disconnect', () => process.exit())
process.send?.(await bindPort(server))
