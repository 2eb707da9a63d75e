import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type AnyTables,
  type ClientOptions,
  createTableClient,
  type Item,
  TableError,
} from '../../../lib/client/index.ts'
import { createFailure } from '../../support/requests/table-clients.ts'

/** A client of a service that answers everything, and the addresses that were called. */
function countingClient(options: Partial<ClientOptions> = {}) {
  const urls: string[] = []
  const send: typeof fetch = async (input) => {
    urls.push(String(input))
    return Response.json({ success: true, items: [], unread_count: 0, next: null })
  }
  return { urls, client: createTableClient({ baseUrl: '', token: () => 'token', fetch: send, ...options }) }
}

const path = '/api/api-table/control-tables/notifications?'

/** Runs as on a page of this address, of which the client reads no more. */
const onPage = (href: string) => vi.stubGlobal('location', new URL(href))
afterEach(() => void vi.unstubAllGlobals())

describe('baseUrl', () => {
  it.each([
    ['', 'https://app.test'],
    ['/', 'https://app.test'],
    ['/tables', 'https://app.test/tables'],
    ['tables/', 'https://app.test/shop/tables'],
    ['//other.test', 'https://other.test'],
    ['https://other.test/stage/', 'https://other.test/stage'],
  ])('%j on a page leads to %s', async (baseUrl, base) => {
    onPage('https://app.test/shop/orders?page=2#top')
    const { client, urls } = countingClient({ baseUrl })
    await client.notifications()
    expect(urls).toEqual([base + path])
  })

  it.each(['https://tables.test/api/flag/1', '/api/flag/1', 'https://tables.test/tables/api/flag/1'])(
    'keeps its folder in front of the URL of an action: %s',
    async (api) => {
      onPage('https://app.test/shop/orders')
      const { client, urls } = countingClient({ baseUrl: '/tables' })
      const item: unknown = { id: 1, actions: { flag: { action: { api } } } }
      await client.rowAction(item as Item<AnyTables[string]>, 'flag')
      expect(urls).toEqual(['https://app.test/tables/api/flag/1'])
    },
  )

  const tables = 'api-table/control-tables'
  it.each([
    ['of the service', `http://127.0.0.1:4620/api/${tables}/downloads/a`, `/tables/api/${tables}/downloads/a`],
    ['of the guard web', `https://tables.test/${tables}/downloads/a`, `/tables/${tables}/downloads/a`],
    ['without a host', `/api/${tables}/downloads/a`, `/tables/api/${tables}/downloads/a`],
    ['of another server', 'https://files.test/a.csv?of=/control-tables/downloads/', undefined],
  ])('replaces the origin of a link to a file %s only if the service has it', async (_, url, path) => {
    onPage('https://app.test/shop/orders')
    const { client, urls } = countingClient({ baseUrl: '/tables' })
    await client.download({ url })
    expect(urls).toEqual([path === undefined ? url : `https://app.test${path}`])
  })

  it.each([
    ['api', `/api/${tables}`, `/api/api/${tables}`],
    ['api', `/api/api/${tables}`, `/api/api/${tables}`],
    ['web', `/${tables}`, `/api/${tables}`],
    ['web', `/api/${tables}`, `/api/${tables}`],
  ])(
    'keeps its folder, which is called like a guard, in front of the URLs of the guard %s: %s',
    async (guard, api, url) => {
      const { client, urls } = countingClient({ baseUrl: 'https://app.test/api', guard })
      await client.tables()
      const item: unknown = { id: 1, actions: { flag: { action: { api } } } }
      await client.rowAction(item as Item<AnyTables[string]>, 'flag')
      expect(urls).toEqual([`https://app.test/api${guard === 'web' ? '' : '/api'}/${tables}`, `https://app.test${url}`])
    },
  )

  it.each([
    '',
    '/tables',
    'tables.example.test',
    'localhost:3000',
    'ftp://tables.test',
    'https://tables.test/?stage=1',
    'https://tables.test/#top',
    'https://nora:word@tables.test',
    undefined as never,
  ])('%j without a page is refused when the client is made, with what to write', (baseUrl) => {
    expect(() => countingClient({ baseUrl })).toThrow(
      expect.objectContaining({
        name: 'TableError',
        code: 'invalid_options',
        message: expect.stringContaining('give the URL of the service, such as "https://tables.example.com"'),
      }),
    )
  })
})

describe('token', () => {
  it('is refused when the client is made where it is no function', () => {
    expect(() => countingClient({ token: undefined as never })).toThrow(
      new TableError('invalid_options', 'token: must be a function that returns the access token'),
    )
  })

  it.each([
    ['nothing', () => undefined as never],
    ['an empty text', () => ''],
    ['an empty text later', () => Promise.resolve('')],
  ])('ends a request before it is sent if it returns %s', async (_, token) => {
    const { client, urls } = countingClient({ baseUrl: 'https://tables.test', token })
    expect(await createFailure(client.notifications())).toMatchObject({
      code: 'no_token',
      status: 0,
      message: expect.stringContaining('let the user sign in first'),
    })
    expect(urls).toEqual([])
  })

  it('is awaited no longer once the signal of the call aborts', async () => {
    const { client, urls } = countingClient({ baseUrl: 'https://tables.test', token: () => new Promise(() => {}) })
    const page = new AbortController()
    const failure = createFailure(client.notifications({}, { signal: page.signal }))
    page.abort()
    expect(await failure).toMatchObject({ code: 'aborted' })
    expect(urls).toEqual([])
  })

  it('lets a job that is followed end with its signal, also if it throws at once', async () => {
    const page = new AbortController()
    let calls = 0
    const token = () => {
      calls += 1
      if (calls === 1) return 'token'
      page.abort()
      // Ends the calls of a client that would call for ever.
      if (calls > 9) return new Promise<string>(() => {})
      throw new Error('signed out')
    }
    const fetch = async () => Response.json({ job: { id: 'j', status: 'running', done: 0, total: 1 } })
    const { client } = countingClient({ baseUrl: 'https://tables.test', token, fetch })
    expect(await createFailure(client.job('j').done({ signal: page.signal }))).toMatchObject({ code: 'aborted' })
    expect(calls).toBe(2)
  })

  it('ends a request with its own error if it throws', async () => {
    const signedOut = new Error('signed out')
    const token = () => Promise.reject(signedOut)
    const { client } = countingClient({ baseUrl: 'https://tables.test', token })
    await expect(client.notifications()).rejects.toBe(signedOut)
  })
})

describe('a request', () => {
  /** A service that answers these, one after the other, and then the last one for ever. */
  const answering = (...responses: readonly Response[]) => {
    const tokens: (string | null)[] = []
    const send: typeof fetch = async (_, init) => {
      tokens.push(new Headers(init?.headers).get('authorization'))
      return (responses[tokens.length - 1] ?? responses.at(-1) ?? Response.error()).clone()
    }
    return { tokens, send }
  }
  const createRefusal = () => Response.json({ code: 'unauthenticated', message: 'No' }, { status: 401 })
  const unavailable = () =>
    Response.json({ code: 'unavailable', message: 'Later' }, { status: 503, headers: { 'retry-after': '0' } })
  const list = () => Response.json({ tables: [{ tableName: 'orders', label: 'Orders' }] })

  it('lists the tables that the caller may load', async () => {
    const { send } = answering(list())
    const { client, urls } = countingClient({
      baseUrl: 'https://tables.test',
      fetch: (input, init) => {
        urls.push(String(input))
        return send(input, init)
      },
    })
    expect(await client.tables()).toEqual([{ tableName: 'orders', label: 'Orders' }])
    expect(urls).toEqual(['https://tables.test/api/api-table/control-tables'])
  })

  it('has the parameters of its query that are not undefined', async () => {
    const { client, urls } = countingClient({ baseUrl: 'https://tables.test' })
    await client.notifications({ before: undefined, limit: 5, unread: true } as object)
    await client.downloads({ job: undefined } as object)
    expect(urls.map((url) => new URL(url).search)).toEqual(['?limit=5&unread=true', ''])
  })

  it('is repeated after a 401 with another token, and not with the one that was refused', async () => {
    const names = ['old', 'new']
    const renewed = answering(createRefusal(), list())
    const options = { baseUrl: 'https://tables.test', fetch: renewed.send, token: () => names.shift() ?? 'none' }
    await countingClient(options).client.tables()
    expect(renewed.tokens).toEqual(['Bearer old', 'Bearer new'])
    const same = answering(createRefusal())
    const { client } = countingClient({ baseUrl: 'https://tables.test', fetch: same.send })
    expect(await createFailure(client.tables())).toMatchObject({ status: 401 })
    expect(same.tokens).toEqual(['Bearer token'])
  })

  it('for a job that is followed is repeated while the service fails or names a time, until its signal aborts', async () => {
    const pauses: number[] = []
    vi.stubGlobal('setTimeout', (done: () => void, ms: number) => {
      pauses.push(ms)
      queueMicrotask(done)
    })
    const page = new AbortController()
    const progress: unknown[] = []
    const responses = [
      ...Array.from({ length: 9 }, () => Response.error()),
      ...[500, 502, 504].map((status) => Response.json({ message: 'Internal server error' }, { status })),
      Response.json({ code: 'timed_out' }, { status: 503 }),
      Response.json({ code: 'too_many_requests' }, { status: 429, headers: { 'retry-after': '20' } }),
      Response.json({ job: { id: 'j', status: 'succeeded', done: 3, total: 3 } }),
    ]
    let count = 0
    const fetch = async () => {
      const response = responses[count++]
      if (response?.type === 'error') throw new TypeError('offline')
      return response ?? Response.json({ code: 'not_found' }, { status: 404 })
    }
    const tokens = ['token', new TypeError('Failed to fetch')]
    const token = async () => {
      const next = tokens.shift() ?? 'token'
      if (next instanceof Error) throw next
      return next
    }
    const { client } = countingClient({ baseUrl: 'https://tables.test', fetch, token })
    const follow = () => client.job('j').done({ signal: page.signal, onProgress: ({ done }) => progress.push(done) })
    expect(await follow()).toMatchObject({ status: 'succeeded' })
    expect([progress, pauses.at(-1)]).toEqual([[3], 20_000])
    expect(await createFailure(follow())).toMatchObject({ code: 'not_found' })
    count = 0
    const failure = createFailure(follow())
    page.abort()
    expect(await failure).toMatchObject({ code: 'aborted' })
  })

  describe('whose response ends in the middle', () => {
    /** A service that is lost in the middle of its response, and answers the next request whole. */
    const losing = (whole: Response, status = 200) => {
      const keys: (string | null)[] = []
      const send: typeof fetch = async (_, init) => {
        keys.push(new Headers(init?.headers).get('idempotency-key'))
        if (keys.length > 1) return whole
        const start = (stream: ReadableStreamDefaultController<Uint8Array>) => {
          stream.enqueue(new TextEncoder().encode('{"tables": ['))
          stream.error(new TypeError('terminated'))
        }
        return new Response(new ReadableStream({ start }), { status })
      }
      return { keys, client: countingClient({ baseUrl: 'https://tables.test', fetch: send }).client }
    }

    it('is repeated if it reads', async () => {
      const { client, keys } = losing(list())
      expect(await client.tables()).toHaveLength(1)
      expect(keys).toEqual([null, null])
    })

    it('is repeated with its key if it runs an action', async () => {
      const { client, keys } = losing(Response.json({ message: 'Flagged' }))
      const item: unknown = { id: 1, actions: { flag: { action: { api: '/api/flag/1' } } } }
      await client.rowAction(item as Item<AnyTables[string]>, 'flag')
      expect([keys.length, new Set(keys).size, keys[0]]).toEqual([2, 1, expect.any(String)])
    })

    it('is not repeated if it is whole and no JSON, also where errors are of another realm', async () => {
      const { send, tokens } = answering(new Response('<html>'))
      const fetch: typeof send = async (...asked) => {
        const json = async () => runInNewContext('JSON.parse("<html>")')
        return Object.assign(await send(...asked), { json })
      }
      const { client } = countingClient({ baseUrl: 'https://tables.test', fetch })
      expect(await createFailure(client.tables())).toMatchObject({ code: 'bad_response', status: 200 })
      expect(tokens).toHaveLength(1)
    })

    it.each([200, 503])(
      'is unreachable, and not repeated, if it makes a change without a key: status %i',
      async (status) => {
        const { client, keys } = losing(list(), status)
        expect(await createFailure(client.readNotifications())).toMatchObject({ code: 'unreachable', status })
        expect(keys).toHaveLength(1)
      },
    )

    it('is aborted if its signal ends an error before all of it has come', async () => {
      const page = new AbortController()
      const pull = (stream: ReadableStreamDefaultController<Uint8Array>) => {
        page.abort()
        stream.error(page.signal.reason)
      }
      const fetch = async () => new Response(new ReadableStream({ pull }), { status: 404 })
      const { client } = countingClient({ baseUrl: 'https://tables.test', fetch })
      const failure = createFailure(client.notifications({}, { signal: page.signal }))
      expect(await failure).toMatchObject({ code: 'aborted' })
    })
  })

  it.each([
    [undefined, 3],
    [1, 1],
  ])('is sent, with maxAttempts %s, %i times to a service that is unavailable', async (maxAttempts, times) => {
    const { send, tokens } = answering(unavailable())
    const limit = maxAttempts === undefined ? {} : { maxAttempts }
    const { client } = countingClient({ baseUrl: 'https://tables.test', fetch: send, ...limit })
    expect(await createFailure(client.tables())).toMatchObject({ code: 'unavailable' })
    expect(tokens).toHaveLength(times)
  })

  describe('that is refused for a moment', () => {
    /** Lets timers end as soon as they begin, and keeps how long each was to take. */
    const recordWaits = () => {
      const waits: number[] = []
      vi.stubGlobal('setTimeout', (done: () => void, milliseconds: number) => {
        waits.push(milliseconds)
        queueMicrotask(done)
      })
      return waits
    }
    const refusal = (headers: Readonly<Record<string, string>>, code = 'too_many_requests') =>
      Response.json({ code, message: 'Later' }, { status: 429, headers })
    const listTables = (send: typeof fetch) =>
      countingClient({ baseUrl: 'https://tables.test', fetch: send }).client.tables()

    it('is repeated after the time that the service names, and succeeds', async () => {
      const waits = recordWaits()
      const { send, tokens } = answering(refusal({ 'retry-after': '7' }), refusal({ 'retry-after': '2' }), list())
      expect(await listTables(send)).toHaveLength(1)
      expect([waits, tokens.length]).toEqual([[7_000, 2_000], 3])
    })

    it('is given up after the third attempt, with the error of the last one', async () => {
      const waits = recordWaits()
      const { send, tokens } = answering(refusal({ 'retry-after': '1' }))
      const error = await createFailure(listTables(send))
      expect(error).toMatchObject({ code: 'too_many_requests', status: 429, retryAfter: 1, message: 'Later' })
      expect([waits, tokens.length]).toEqual([[1_000, 1_000], 3])
    })

    it.each(['9999999', 'Infinity'])(
      'is repeated for a job that is followed after the longest time of a timer: %s seconds',
      async (seconds) => {
        const waits = recordWaits()
        const finished = Response.json({ job: { id: 'j', status: 'succeeded', done: 1, total: 1 } })
        const { send } = answering(refusal({ 'retry-after': seconds }), finished)
        await countingClient({ baseUrl: 'https://tables.test', fetch: send }).client.job('j').done()
        expect(waits).toEqual([2_000_000_000])
      },
    )

    it('is given up at once if it would have to wait for longer than ten seconds', async () => {
      const waits = recordWaits()
      const { send, tokens } = answering(refusal({ 'retry-after': '11' }))
      expect(await createFailure(listTables(send))).toMatchObject({ code: 'too_many_requests', retryAfter: 11 })
      expect([waits, tokens.length]).toEqual([[], 1])
    })

    it.each([{}, { 'retry-after': 'Sun, 22 Nov 2026 12:00:00 GMT' }, { 'retry-after': '-5' }])(
      'is repeated after times that grow where the response names no seconds: %j',
      async (headers) => {
        const waits = recordWaits()
        const { send } = answering(refusal(headers), refusal(headers), list())
        expect(await listTables(send)).toHaveLength(1)
        const [first = 0, second = 0] = waits
        expect([first >= 200 && first <= 400, second >= 400 && second <= 800]).toEqual([true, true])
      },
    )

    it.each([
      [429, 'Too Many Requests', 2],
      [503, 'Service Unavailable', 2],
      [500, 'Internal Server Error', 1],
    ])('is sent, after the %i of the gateway, which has no code, %s, %i times', async (status, message, times) => {
      const waits = recordWaits()
      const { send, tokens } = answering(Response.json({ message }, { status }), list())
      await listTables(send).catch(() => {})
      expect([waits.length, tokens.length]).toEqual([times - 1, times])
    })

    it('is not repeated if the caller has too many unfinished jobs, which no short wait ends', async () => {
      const waits = recordWaits()
      const { send, tokens } = answering(refusal({}, 'too_many_jobs'))
      expect(await createFailure(listTables(send))).toMatchObject({ code: 'too_many_jobs', status: 429 })
      expect([waits, tokens.length]).toEqual([[], 1])
    })
  })
})
