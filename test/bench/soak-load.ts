import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { mintToken } from '../../infra/local/identity/mint-token.ts'
import type { SigningKey } from '../../infra/local/identity/signing-key.ts'

/** The service under load, as a client knows it. */
export interface SoakedService {
  readonly baseUrl: string
  readonly webSocketUrl: string
  readonly key: SigningKey
}

/** The requests sent so far, and the responses that were wrong. */
export interface LoadCounts {
  readonly requests: Readonly<Record<string, number>>
  /** Responses that the service must not give: 500 and above, and those that the request did not earn. */
  readonly unexpected: readonly string[]
}

interface Call {
  readonly path: string
  readonly body?: unknown
  /** Default: 200 and 202. */
  readonly expected?: readonly number[]
  readonly headers?: Readonly<Record<string, string>>
}

/** A kind of request, and how often it comes among a hundred. */
interface Kind {
  readonly name: string
  readonly weight: number
  readonly create: () => Call
}

const callers = 50
const strikes = 10_000

const pick = <T>(values: readonly [T, ...T[]]): T => values[Math.floor(Math.random() * values.length)] ?? values[0]
const upTo = (max: number): number => 1 + Math.floor(Math.random() * max)
const page = () => ({ page: upTo(20), perPage: pick([10, 20, 50]) })
const state = () => pick(['Texas', 'Ohio', 'California', 'New York', 'Florida'])
const createIdempotencyKey = () => ({ 'idempotency-key': randomUUID() })

const kinds: readonly Kind[] = [
  {
    name: 'pages of bird strikes',
    weight: 35,
    create: () => ({
      path: 'query-table/bird_strikes',
      body: { ...page(), filters: [{ field: 'origin_state', operator: '=', value: state() }] },
    }),
  },
  {
    name: 'pages of flights',
    weight: 20,
    create: () => ({
      path: 'query-table/flights',
      body: { ...page(), filters: [{ field: 'delay', operator: '>=', value: upTo(300) }], row_actions: 'keys' },
    }),
  },
  { name: 'structures', weight: 8, create: () => ({ path: `load-table/${pick(['flights', 'bird_strikes'])}/true` }) },
  { name: 'lists of tables', weight: 3, create: () => ({ path: '' }) },
  {
    name: 'rows again',
    weight: 8,
    create: () => ({ path: `row-refetch/bird_strikes/${upTo(strikes)}`, body: {}, expected: [200, 404] }),
  },
  {
    name: 'row actions',
    weight: 8,
    create: () => ({
      path: `row-table-action/bird_strikes/flag/${upTo(strikes)}`,
      body: {},
      headers: createIdempotencyKey(),
      expected: [200, 404, 409],
    }),
  },
  {
    name: 'actions on rows',
    weight: 3,
    create: () => ({
      path: 'row-bulk-table-action/bird_strikes/assign',
      body: { selected_ids: [upTo(strikes), upTo(strikes)], assignee: 'soak' },
      expected: [200, 404, 409],
    }),
  },
  {
    name: 'files',
    weight: 2,
    create: () => ({
      path: 'bulk-table-action/flights/export_csv',
      body: { filters: [{ field: 'delay', operator: '>=', value: 500 }] },
    }),
  },
  {
    name: 'reports by e-mail',
    weight: 1,
    create: () => ({
      path: 'bulk-table-action/bird_strikes/email_report',
      body: { selected_ids: [upTo(strikes), upTo(strikes)] },
      headers: createIdempotencyKey(),
      expected: [200, 202, 404],
    }),
  },
  {
    name: 'jobs in chunks',
    weight: 1,
    create: () => ({
      path: 'bulk-table-action/bird_strikes/recompute_risk',
      body: { filters: [{ field: 'origin_state', operator: '=', value: 'Ohio' }] },
    }),
  },
  {
    name: 'prepared files',
    weight: 1,
    create: () => ({
      path: 'bulk-table-action/flights/prepare_export',
      body: { filters: [{ field: 'delay', operator: '>=', value: 500 }] },
    }),
  },
  { name: 'tickets', weight: 2, create: () => ({ path: 'socket-ticket', body: {} }) },
  { name: 'notifications', weight: 4, create: () => ({ path: 'notifications' }) },
  {
    name: 'refused requests',
    weight: 4,
    create: () => ({
      ...pick<Call>([
        { path: 'query-table/no_such_table', body: {} },
        { path: 'query-table/flights', body: { perPage: -1 } },
        { path: 'query-table/flights', body: {}, headers: { authorization: 'Bearer forged' } },
      ]),
      expected: [401, 404, 422],
    }),
  },
  { name: 'sockets', weight: 4, create: () => ({ path: 'socket' }) },
]

/** Every kind as often as it weighs. */
const deck = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind))

function pickKind(): Kind {
  const kind = deck[Math.floor(Math.random() * deck.length)]
  if (kind === undefined) throw new Error('there is no kind of request')
  return kind
}

const tokenSeconds = 600

/** Puts mixed requests on the service until `signal` aborts, about so many a second. The counts go on while it runs. */
export function startLoad(service: SoakedService, perSecond: number, signal: AbortSignal) {
  const requests: Record<string, number> = Object.fromEntries(kinds.map(({ name }) => [name, 0]))
  const unexpected: string[] = []
  const tokens = new Map<string, { readonly text: string; readonly until: number }>()
  const findToken = (subject: string): string => {
    const known = tokens.get(subject)
    if (known !== undefined && known.until > Date.now()) return known.text
    const claims = { role: 'supervisor', email: `${subject}@example.com`, email_verified: true }
    const text = mintToken(service.key, { subject, claims, expiresInSeconds: tokenSeconds })
    tokens.set(subject, { text, until: Date.now() + (tokenSeconds / 2) * 1_000 })
    return text
  }
  const send = async ({ name, create }: Kind): Promise<void> => {
    const call = create()
    const token = findToken(`soak-${upTo(callers)}`)
    requests[name] = (requests[name] ?? 0) + 1
    try {
      if (name === 'sockets') return await openSocket(service.webSocketUrl, token)
      const status = await request(service.baseUrl, call, token)
      if (!(call.expected ?? [200, 202]).includes(status)) unexpected.push(`${name}: ${status}`)
    } catch (error) {
      if (!signal.aborted) unexpected.push(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      const pause = sleep((loops / perSecond) * 1_000)
      await send(pickKind())
      await pause
    }
  }
  const done = Promise.all(Array.from({ length: loops }, loop))
  return { counts: (): LoadCounts => ({ requests: { ...requests }, unexpected: [...unexpected] }), done }
}

const loops = 8
const requestMs = 60_000

async function request(baseUrl: string, { path, body, headers }: Call, token: string): Promise<number> {
  const url = `${baseUrl}/api/api-table/control-tables${path === '' ? '' : `/${path}`}`
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(requestMs),
  })
  await response.arrayBuffer()
  return response.status
}

/** Opens a socket, waits for the response to one ping, and closes it. */
async function openSocket(url: string, token: string): Promise<void> {
  const socket = new WebSocket(url, ['bearer', token])
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', () => socket.send('{"action":"ping"}'))
      socket.addEventListener('message', resolve)
      socket.addEventListener('error', () => reject(new Error('the socket failed')))
      socket.addEventListener('close', () => reject(new Error('the socket was closed')))
      setTimeout(() => reject(new Error('the ping was not answered')), requestMs).unref()
    })
  } finally {
    socket.close()
  }
}
