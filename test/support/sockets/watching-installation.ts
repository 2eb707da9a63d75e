import { randomUUID } from 'node:crypto'
import { afterAll } from 'vitest'
import { startSocketGateway } from '../../../infra/local/gateway/socket-gateway.ts'
import { queueEvent } from '../../../infra/local/queue/queue-event.ts'
import { loadConfig } from '../../../lib/config.ts'
import {
  createService,
  createWorkerService,
  type LoadedRegistry,
  reportWorker,
  type Service,
  sweep,
} from '../../../lib/index.ts'
import { observeStatements } from '../database/observe-statements.ts'
import { north } from '../fixtures/identities.ts'
import { startDeliveringApi } from '../fixtures/work-api.ts'
import { purgeQueue, queuedMessages } from '../jobs/queued-jobs.ts'
import { startTcpProxy } from '../network/tcp-proxy.ts'
import type { TestIdentity } from '../requests/identity-provider.ts'
import { queueEnvironment, serviceEnvironment } from '../requests/service-environment.ts'
import { openPushClient, type PushClient } from './push-client.ts'
import { createSocketRoutes } from './socket-routes.ts'

export interface Watcher extends PushClient {
  /** Sends a message with a token of the watcher and returns the reply. */
  readonly ask: (message: object) => Promise<ReturnType<typeof JSON.parse>>
  /** The events of all messages that were sent before this call. */
  readonly listReceived: () => Promise<readonly string[]>
}

async function openWatcher(url: string, token: string): Promise<Watcher> {
  const client = await openPushClient(url, { protocols: ['bearer', token] })
  const ask = async (message: object) => {
    const before = client.messages.length
    client.socket.send(JSON.stringify(message))
    return (await client.received(before + 1))[before]
  }
  const listReceived = async () => {
    await ask({ event: 'ping' })
    return client.messages.map(({ event }) => event).filter((event) => event !== 'pong')
  }
  return { ...client, ask, listReceived }
}

const asMessage = (body: object) => ({
  MessageId: randomUUID(),
  ReceiptHandle: randomUUID(),
  Body: JSON.stringify(body),
  Attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) },
})

/**
 * Starts the tables of a registry with their actions, a WebSocket API, a queue and its worker, whose statements are in
 * `statements` and go through `network`. They end after the tests of the file.
 */
export async function startWatchingInstallation(registry: LoadedRegistry) {
  const running: Service[] = []
  const current = () => running[0] as Service
  const gateway = await startSocketGateway({ routes: createSocketRoutes(registry, current) })
  const fixture = await startDeliveringApi({ SOCKET_ENDPOINT: gateway.managementEndpoint })
  const { provider, queue, serviceUrl } = fixture
  const config = loadConfig({
    ...serviceEnvironment(serviceUrl, provider),
    ...queueEnvironment(queue),
    // Messages at once need a connection each.
    DATABASE_CONNECTIONS: '2',
    SOCKET_ENDPOINT: gateway.managementEndpoint,
    PUBLIC_URL: 'https://tables.example.test',
  })
  running.push(createService(config))
  const statements: string[] = []
  const network = await startTcpProxy({ target: serviceUrl })
  const created = createWorkerService({ ...config, DATABASE_URL: network.url() })
  const workers = { ...created, database: observeStatements(created.database, statements) }
  afterAll(async () => {
    await gateway.stop()
    await Promise.all([current().database.close(), workers.database.close(), workers.work.close()])
    await network.close()
  })
  const worker = reportWorker(registry, () => workers)
  const receive = (bodies: readonly object[]) => worker(queueEvent(queue.queueUrl, bodies.map(asMessage)))
  return {
    ...fixture,
    /** Puts rows back to where they began, closes all sockets to the service, and loses the messages of the queue. */
    clear: async () => {
      for (const table of ['sockets', 'row_events', 'row_polls', 'plans'])
        await fixture.sql.unsafe(`delete from table_control.${table}`)
      await fixture.reset()
      await purgeQueue(queue)
    },
    /** Makes a thousand subscriptions of the one that there is, which Postgres then knows. */
    multiply: async () => {
      await fixture.sql`insert into table_control.subscriptions
          (connection_id, id, table_name, identity, guard, language, base_url, query, expires_at)
        select connection_id, 'copy ' || number, table_name, identity, guard, language, base_url, query, expires_at
          from table_control.subscriptions, generate_series(1, 1000) number`
      await fixture.sql`analyze table_control.subscriptions`
    },
    gateway,
    network,
    statements,
    receive,
    actions: fixture.variant({}, registry),
    /** Hands the worker the messages of the queue that are due, and returns their number. */
    drain: async () => {
      const messages = (await queuedMessages(queue)) as readonly object[]
      if (messages.length > 0) await receive(messages)
      return messages.length
    },
    /** Loses the messages of the queue. */
    empty: () => purgeQueue(queue),
    /** Hands the worker a message that names a table. */
    wake: (watched: string) => receive([{ v: 1, watched }]),
    sweep: sweep(current),
    watch: (as: TestIdentity = north) => openWatcher(gateway.url, provider.tokenFor(as)),
    tokenFor: provider.tokenFor,
  }
}
