import { abortedBy, backoff, pause } from './pause.ts'
import { errorOfAnswer, TableError } from './table-error.ts'

export interface ClientOptions {
  /**
   * Where the service is, without the guard: `https://tables.example.com`, with a stage behind it where there is one. On a
   * page it may be relative: `''` is the page's own origin.
   */
  readonly baseUrl: string
  /** Left out: `api`. A browser takes `web`, which leaves out the actions that are not meant for it. */
  readonly guard?: string
  /** Asked before every request, and once more after a 401. */
  readonly token: () => string | Promise<string>
  readonly fetch?: typeof fetch
  /** Left out: what the browser's `accept-language` says. */
  readonly language?: 'en' | 'ar'
  /** Opened with the token as subprotocol. Left out: whatever a ticket of the service opens. */
  readonly socketUrl?: string
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ActionOptions extends CallOptions {
  /** Left out: new for each call, so that an attempt of the client's own does not run the action twice. */
  readonly idempotencyKey?: string
}

interface Call extends ActionOptions {
  /** Makes it a POST. */
  readonly body?: object
  readonly accept?: string
}

/** Calls a path behind the guard, or a URL that the service gave. */
export type Send = (target: string, call?: Call) => Promise<Response>

/** The attempts of one request, and the longest pause before another that is worth a person's wait. */
const [attempts, longestPauseMs] = [3, 10_000]

/** Codes after which the same request can succeed; actions carry a key, so that they still run once. */
const passing: ReadonlySet<string> = new Set(['unreachable', 'unavailable', 'idempotency_in_progress'])

/** Whether the same request can succeed; a change that may have been made needs the key that keeps it from a second one. */
const isPassing = ({ code }: TableError, { idempotencyKey }: Call): boolean =>
  passing.has(code) || (code === 'outcome_unknown' && idempotencyKey !== undefined)

/**
 * Sends requests of one service: with a token, again where that is safe and may help, and failures as `TableError`. Throws
 * `invalid_options` for options that no request could be sent with.
 */
export function transport(options: ClientOptions): Send {
  const findQueueUrl = addressing(options)
  return async (target, call = {}) => {
    const url = findQueueUrl(target)
    let renewed = false
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sent(options, url, call)
      } catch (error) {
        if (!(error instanceof TableError)) throw error
        const wait = error.retryAfter === undefined ? backoff(attempt, 200, longestPauseMs) : error.retryAfter * 1_000
        if (error.status === 401 && !renewed) renewed = true
        else if (attempt >= attempts || !isPassing(error, call) || wait > longestPauseMs) throw error
        else await pause(wait, call.signal)
      }
    }
  }
}

/**
 * A token only ever goes to the origin of `baseUrl`: of a URL that the service gave, another origin (as behind a proxy for
 * development) is replaced.
 */
function addressing(options: ClientOptions): (target: string) => string {
  const { guard = 'api' } = options
  const base = readBaseUrl(options)
  const root = `${base.href}${guard === 'web' ? '' : `${guard}/`}api-table/control-tables`
  return (target) => {
    if (target.startsWith('./')) return root + target.slice(1)
    const { pathname, search } = new URL(target, base)
    return base.origin + pathname + search
  }
}

function readBaseUrl({ baseUrl, token }: ClientOptions): URL {
  if (typeof token !== 'function')
    throw new TableError('invalid_options', 'token: must be a function that returns the access token of the user')
  const url = typeof baseUrl === 'string' ? parseUrl(`${baseUrl.replace(/\/+$/, '')}/`) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url
  throw new TableError(
    'invalid_options',
    `baseUrl: ${JSON.stringify(baseUrl)} leads nowhere; give the whole URL of the service, such as "https://tables.example.com". Only a page may leave out its own origin`,
  )
}

/** Without a page there is nothing that a relative URL could be relative to. */
function parseUrl(url: string): URL | undefined {
  const { location: page } = globalThis as { readonly location?: { readonly href: string } }
  try {
    return new URL(url, page?.href)
  } catch {
    return undefined
  }
}

/** Asks for the token. Rejects with `no_token` where there is none, and with whatever the user's function throws. */
export async function readToken(token: ClientOptions['token']): Promise<string> {
  const text: unknown = await token()
  if (typeof text === 'string' && text !== '') return text
  throw new TableError('no_token', 'token() returned no token: let the user sign in first, and return the access token')
}

async function sent({ token, fetch: send = fetch, language }: ClientOptions, url: string, call: Call) {
  const { body, signal, idempotencyKey, accept = 'application/json' } = call
  const headers = {
    accept,
    authorization: `Bearer ${await readToken(token)}`,
    ...(language !== undefined && { ln: language }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  }
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await send(url, { ...post, headers, credentials: 'omit', signal: signal ?? null }).catch((cause) => {
    throw signal?.aborted === true ? abortedBy(signal) : new TableError('unreachable', 'No answer came', { cause })
  })
  if (response.ok) return response
  throw errorOfAnswer(response, await answerOf(response))
}

/** What a failure says of itself; nothing where it is not the service's. */
export const answerOf = (response: Response): Promise<Readonly<Record<string, unknown>>> =>
  jsonOf<Readonly<Record<string, unknown>>>(response).catch(() => ({}))

/** The object that an answer is; `bad_answer` for anything else. */
export async function jsonOf<T extends object>(response: Response, signal?: AbortSignal): Promise<T> {
  const answer: unknown = await response.json().catch((cause) => {
    if (signal?.aborted === true) throw abortedBy(signal)
    throw new TableError('bad_answer', 'The answer is no JSON', { status: response.status, cause })
  })
  if (typeof answer === 'object' && answer !== null) return answer as T
  throw new TableError('bad_answer', 'The answer is no object', { status: response.status })
}

/** A key for one click. `crypto.randomUUID` is missing on pages without TLS. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-')
