import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { listen } from '../listen.ts'

/** Loads the tool, of which only the listener is used: a thread that nobody sends a mail to goes without it. */
async function loadTool(): Promise<Server> {
  // A CommonJS package whose default export loaders disagree about.
  const { default: serve }: typeof import('aws-ses-v2-local') = createRequire(import.meta.url)('aws-ses-v2-local')
  const server = await serve({ host: '127.0.0.1', port: 0 })
  return server.close()
}

let tool: Promise<Server> | undefined
const server = createServer((request, response) => {
  tool ??= loadTool()
  void tool.then((loaded) => loaded.emit('request', request, response))
})
const { port } = await listen(server)
parentPort?.postMessage(port)
