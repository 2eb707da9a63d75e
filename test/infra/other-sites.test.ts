import { request } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { startSocketGateway } from '../../infra/local/gateway/socket-gateway.ts'
import { startMail } from '../../infra/local/mail/mail.ts'
import { startQueueAndStorage } from '../../infra/local/queue/queue-and-storage.ts'

const mail = await startMail()
const queue = await startQueueAndStorage()
const sockets = await startSocketGateway({ routes: {} })
afterAll(() => Promise.all([mail.stop(), queue.stop(), sockets.stop()]))

const servers = [
  ['SES', mail.endpoint, '/envelopes', '/faults'],
  ['the mailbox', mail.mailboxUrl, '/store', '/clear-store'],
  ['SQS and S3', queue.endpoint, '/health', '/faults'],
  ['the management of sockets', new URL(sockets.managementEndpoint).origin, '/faults', '/faults'],
] as const

const readStatus = (url: string, host: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const asked = request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
    asked.on('error', reject).end()
  })

it.each(servers)('%s has no other name than those of this machine', async (_, endpoint, path) => {
  expect(await readStatus(endpoint + path, 'elsewhere.example')).toBe(421)
  const { host, port } = new URL(endpoint)
  const own = await Promise.all(
    [host, `localhost:${port}`, `bucket.localhost:${port}`].map((name) => readStatus(endpoint + path, name)),
  )
  expect(own).not.toContain(421)
})

it.each(servers)('%s takes no POST from a page of another site', async (_, endpoint, _path, changing) => {
  const post = async (headers: Readonly<Record<string, string>>) =>
    (await fetch(endpoint + changing, { method: 'POST', headers, body: '{}' })).status
  const foreign = ['https://elsewhere.example', 'https://localhost.elsewhere.example', 'null']
  expect(await Promise.all(foreign.map((origin) => post({ origin })))).toEqual([403, 403, 403])
  const own = await Promise.all([post({}), post({ origin: endpoint }), post({ origin: 'http://localhost:5173' })])
  expect(own).not.toContain(403)
})
