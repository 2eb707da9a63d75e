import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { refuseOtherSites } from '../refuse-other-sites.ts'

/** A CommonJS package whose default export loaders disagree about. */
const { default: serve }: typeof import('aws-ses-v2-local') = createRequire(import.meta.url)('aws-ses-v2-local')

const server = await serve({ host: '127.0.0.1', port: 0 })
refuseOtherSites(server)
// With Node's five seconds, a busy client would now and then use a connection that is just being closed.
server.keepAliveTimeout = 60_000
const address = server.address()
parentPort?.postMessage(typeof address === 'object' && address !== null ? address.port : undefined)
