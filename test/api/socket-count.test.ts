import { eq } from 'drizzle-orm'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { startSocketGateway } from '../../infra/local/gateway/socket-gateway.ts'
import { accountVariables } from '../../infra/local/local-account.ts'
import { type ConnectionState, createTableClient } from '../../lib/client/index.ts'
import { loadConfig } from '../../lib/config.ts'
import { createRegistry, createService, everyRow, forbidden, type Service } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { northRows, productRows } from '../support/fixtures/fixture-rows.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, north, south } from '../support/fixtures/identities.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { serviceEnvironment } from '../support/requests/service-environment.ts'
import { openPushClient } from '../support/sockets/push-client.ts'
import { createSocketRoutes } from '../support/sockets/socket-routes.ts'

const base = {
  from: products,
  key: 'id',
  columns: { name: { label: 'Name' }, category: { label: 'Category' } },
  filters: { category: { type: 'text', label: 'Category' } },
} as const

const registry = createRegistry(
  [
    defineFixture({
      ...base,
      name: 'own',
      scope: ({ identity }) => eq(products.tenant, identity.claims.tenant),
      count: 'none',
    }),
    defineFixture({
      ...base,
      name: 'closed',
      scope: everyRow,
      middlewares: [
        ({ identity }) => {
          if (identity.claims.tenant !== 'north') throw forbidden()
        },
      ],
    }),
  ],
  { claims: fixtureClaims },
)

const fixture = await startFixtureApi()
const services: Service[] = []
afterAll(() => Promise.all(services.map(({ database }) => database.close())))

/** Starts a WebSocket API with the tables of this file. */
async function startSockets(settings: Readonly<Record<string, string>> = {}) {
  Object.assign(process.env, accountVariables)
  const running = () => service
  const gateway = await startSocketGateway({ routes: createSocketRoutes(registry, running) })
  onTestFinished(() => gateway.stop())
  const environment = {
    ...serviceEnvironment(fixture.databaseUrl, fixture.provider),
    LOG_LEVEL: 'info',
    SOCKET_ENDPOINT: gateway.managementEndpoint,
  }
  const service = createService(loadConfig({ ...environment, ...settings }))
  services.push(service)
  const { tokenFor } = fixture.provider
  /** Sends one message over a socket of its own, and returns the reply. */
  const send = async (message: object, as = north) => {
    const { socket, received } = await openPushClient(gateway.url, { protocols: ['bearer', tokenFor(as)] })
    socket.send(JSON.stringify(message))
    const [reply] = await received(1)
    // biome-ignore lint/suspicious/noExplicitAny: tests read into messages whose shape is what they assert
    return reply as any
  }
  const count = (body: object, as = north) => send({ event: 'count', token: tokenFor(as), ...body }, as)
  return { gateway, service, tokenFor, send, count }
}

const tools = northRows.filter(({ category }) => category === 'tool').length
const byCategory = [{ field: 'category', value: 'tool' }]

it('counts the rows of a query over a WebSocket, and names them as the page does', async () => {
  const { count } = await startSockets()
  const query = { filters: byCategory, request_seq: 7, count: 'none', perPage: 1 }
  const page = await fixture.variant({}, registry).post('query-table/own', query, { as: north })
  expect(page.json.pagination).toMatchObject({ total: 1, total_kind: 'at_least' })
  const { query_hash } = page.json
  expect(await count({ table: 'own', query })).toEqual({
    event: 'query.total',
    channel: 'query',
    id: query_hash,
    seq: 7,
    data: { table: 'own', total: tools, total_kind: 'exact', request_seq: 7, query_hash },
  })
})

it('counts the rows of a saved view', async () => {
  const { count } = await startSockets()
  const api = fixture.variant({}, registry)
  const saved = { filters: byCategory, group_by: [{ field: 'category' }] }
  const { view } = (await api.post('views/own', { name: 'Tools', query: saved }, { as: north })).json
  const query = { view: view.id, view_revision: view.revision, request_seq: 7 }
  const { query_hash } = (await api.post('query-table/own', query, { as: north })).json
  expect((await count({ table: 'own', query })).data).toEqual({
    table: 'own',
    total: tools,
    total_kind: 'exact',
    request_seq: 7,
    query_hash,
  })
  const { data } = await count({ table: 'own', query: { ...query, filters: [] } })
  expect(data.total).toBe(northRows.length)
  const changed = await count({ table: 'own', query: { ...query, view_revision: 2 } })
  expect(changed).toMatchObject({ event: 'error', code: 'view_changed', request_seq: 7 })
})

it.each([
  ['the token of the message', {}],
  ['the caller who opened the socket where the message has no token', { token: undefined }],
])('counts no row outside the scope of %s', async (_, more) => {
  const { count } = await startSockets()
  const question = { ...more, table: 'own', query: { request_seq: 1 } }
  const mine = await count(question)
  const theirs = await count(question, south)
  expect(mine.data.total).toBe(northRows.length)
  expect(theirs.data.total).toBe(productRows.length - northRows.length)
  expect(mine.data.query_hash).not.toBe(theirs.data.query_hash)
})

it.each([
  ['with an empty token', { token: '', table: 'own', query: { request_seq: 3 } }, 'unauthenticated'],
  ['for a table that is not registered', { table: 'none', query: { request_seq: 3 } }, 'table_not_found'],
  ['with an unreadable filter', { table: 'own', query: { filters: 3, request_seq: 3 } }, 'validation_failed'],
])('refuses a count %s with the error of query-table and the number of the question', async (_, body, code) => {
  const { count } = await startSockets()
  const refused = await count(body)
  expect(refused).toMatchObject({ event: 'error', success: false, code, request_seq: 3 })
  expect(refused).not.toHaveProperty('retry_after')
})

it('refuses a count for a caller whom a middleware of the table does not admit', async () => {
  const { count } = await startSockets()
  const body = { table: 'closed', query: { request_seq: 3 } }
  expect((await count(body)).data.total).toBe(productRows.length)
  expect(await count(body, south)).toMatchObject({ event: 'error', code: 'forbidden' })
})

it.each([
  ['no table', { query: { request_seq: 1 } }, 'table'],
  ['no query', { table: 'own' }, 'query'],
  ['no number', { table: 'own', query: {} }, 'query.request_seq'],
  ['a guard that does not exist', { table: 'own', guard: 'none', query: { request_seq: 1 } }, 'guard'],
])('names the fault of a question with %s in both languages, and writes a line of the log', async (_, body, field) => {
  const { count } = await startSockets()
  const log = recordLog()
  onTestFinished(log.restore)
  const reply = await count(body)
  expect(reply).toMatchObject({ event: 'error', code: 'validation_failed' })
  expect(reply.fields).toHaveProperty([field])
  expect(reply.errors).toHaveLength(2)
  expect(log.text()).toContain('socketCount')
})

it('answers a message of another event, or of none, as before', async () => {
  const { send } = await startSockets()
  expect(await send({ event: 'ping' })).toEqual({ event: 'pong' })
  expect(await send({ event: '$connect' })).toMatchObject({ event: 'error', code: 'validation_failed' })
  expect(await send({})).toMatchObject({ event: 'error', code: 'validation_failed' })
})

it('charges a count as a request of its caller, and says when to try again', async () => {
  const { count } = await startSockets({ REQUESTS_PER_CALLER: '1' })
  const as = { ...north, sub: 'counts-often' }
  const body = { table: 'own', query: { request_seq: 1 } }
  expect((await count(body, as)).event).toBe('query.total')
  const refused = await count(body, as)
  expect(refused).toMatchObject({ event: 'error', code: 'too_many_requests', request_seq: 1 })
  expect(refused.retry_after).toBeGreaterThan(0)
})

it('charges an unsubscribe that ends nothing, and ends a subscription also for a caller who has reached the limit', async () => {
  const { gateway, tokenFor } = await startSockets({ REQUESTS_PER_CALLER: '2' })
  const token = tokenFor({ ...north, sub: 'unsubscribes-often' })
  const { socket, received } = await openPushClient(gateway.url, { protocols: ['bearer', token] })
  const messages = [
    { event: 'subscribe', id: 'page', table: 'own', token, query: {} },
    ...['none', 'none', 'page'].map((id) => ({ event: 'unsubscribe', id })),
  ]
  for (const [index, message] of messages.entries()) {
    socket.send(JSON.stringify(message))
    await received(index + 1)
  }
  expect(await received(4)).toMatchObject([
    { event: 'rows.subscribed', id: 'page' },
    { event: 'rows.unsubscribed', id: 'none', seq: 0 },
    { event: 'error', id: 'none', code: 'too_many_requests', retry_after: expect.any(Number) },
    { event: 'rows.unsubscribed', id: 'page', seq: 0 },
  ])
})

it('does not report a subscription as ended that the database could not end', async () => {
  const { service, gateway, tokenFor } = await startSockets()
  const { socket, received } = await openPushClient(gateway.url, { protocols: ['bearer', tokenFor(north)] })
  await service.database.close()
  socket.send(JSON.stringify({ event: 'unsubscribe', id: 'page' }))
  expect(await received(1)).toMatchObject([{ event: 'error', id: 'page', success: false }])
})

it('counts by the typed client, several questions at a time', async () => {
  const { gateway, tokenFor } = await startSockets()
  const client = createTableClient<typeof registry>({
    baseUrl: 'http://127.0.0.1',
    token: () => tokenFor(north),
    socketUrl: gateway.url,
  })
  const opened = Promise.withResolvers<void>()
  const states: ConnectionState[] = []
  const onState = (state: ConnectionState) => {
    states.push(state)
    if (state === 'open') opened.resolve()
  }
  const connection = client.connect({ onState, catchUp: async () => {} })
  onTestFinished(connection.close)
  await expect(connection.countRows('own')).rejects.toMatchObject({ code: 'unreachable' })
  await opened.promise
  const [all, some, fault] = await Promise.allSettled([
    connection.countRows('own'),
    connection.countRows('own', { filters: [{ field: 'category', value: 'tool' }] }),
    connection.countRows('own', { filters: [{ field: 'category', operator: '<', value: 'tool' }] }),
  ])
  expect([all, some]).toMatchObject([{ value: { total: northRows.length } }, { value: { total: tools } }])
  expect(fault).toMatchObject({ reason: { code: 'validation_failed' } })
  const aborted = connection.countRows('own', {}, { signal: AbortSignal.abort() })
  await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
})
