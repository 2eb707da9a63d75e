import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { refuseOtherSites } from '../refuse-other-sites.ts'
import type { ShownMail } from './mailbox.ts'

const load = createRequire(import.meta.url)
// A CommonJS package whose default export loaders disagree about.
const { default: serve }: typeof import('aws-ses-v2-local') = load('aws-ses-v2-local')
const { getStoreReadonly }: typeof import('aws-ses-v2-local/dist/store.js') = load('aws-ses-v2-local/dist/store.js')

const server = await serve({ host: '127.0.0.1', port: 0 })
refuseOtherSites(server)
const { port } = server.address() as AddressInfo

/** Adds a mail under the id and the time that its sender knows; the tool would choose its own. */
async function show({ messageId, acceptedAt, raw }: ShownMail): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v2/email/outbound-emails`, {
    method: 'POST',
    headers: { authorization: 'AWS local', 'content-type': 'application/json' },
    body: JSON.stringify({ Content: { Raw: { Data: Buffer.from(raw).toString('base64') } } }),
  })
  if (response.ok)
    Object.assign(getStoreReadonly().emails.at(-1) ?? {}, { messageId, at: Math.floor(Date.parse(acceptedAt) / 1000) })
  else console.error(`The mailbox cannot show a mail: ${response.status} ${await response.text()}`)
}

for (const mail of workerData) await show(mail)
parentPort?.on('message', async (mail: ShownMail) => {
  await show(mail)
  parentPort?.postMessage('shown')
})
parentPort?.postMessage(port)
