import { backoff, createCallError, orAborted, pause } from './pause.ts'
import { createServiceError, TableError } from './table-error.ts'

export interface ClientOptions {
  /**
   * The URL of the service without the guard, such as `https://tables.example.com`, with the stage if there is one. On
   * a page it may be relative: `''` is the page's own origin.
   */
  readonly baseUrl: string
  /** Default `api`. Browsers use `web`, which hides the actions that are not meant for them. */
  readonly guard?: string
  /** Called before each request, and once more after a 401: the request is then repeated with another token. */
  readonly token: () => string | Promise<string>
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Default: the language of `accept-language`. */
  readonly language?: 'en' | 'ar'
  /** How often a request is sent at most. Default 3; 1 for a page that tries again by itself. */
  readonly maxAttempts?: number
  /** Opened with the token as subprotocol. Default: the URL of a ticket that the service issues. */
  readonly socketUrl?: string
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ActionOptions extends CallOptions {
  /** Default: new for each call, so that the client's own retries do not run the action twice. */
  readonly idempotencyKey?: string | undefined
}

interface Call extends ActionOptions {
  /** Default: POST with a body, else GET. */
  readonly method?: 'PATCH' | 'DELETE'
  readonly body?: object
  /** Whether a second request does no more than the first. Default: true without a method and a body. */
  readonly isRepeatable?: boolean
}

/** Sends a request to a path below the guard, or to a URL from the service, and reads its response as a JSON object. */
export type Send = <T extends object>(target: string, call?: Call) => Promise<T>

/** A person does not wait longer than this for a retry. */
const maxPauseMs = 10_000

/**
 * Returns whether the same request can succeed. A change with an unknown outcome is repeated only with its idempotency
 * key.
 */
export const isRetryable = (
  { code, status }: TableError,
  { method, body, idempotencyKey, isRepeatable = !method && !body }: Call = {},
): boolean =>
  /^(unavailable|idempotency_in_progress|too_many_requests)$/.test(code) ||
  // The gateway has refused to begin.
  (code === 'bad_response' && [429, 503].includes(status)) ||
  (/^(unreachable|outcome_unknown)$/.test(code) && (isRepeatable || idempotencyKey !== undefined))

/** Waits for the next attempt of a call that has failed. Rejects with its error if none can succeed soon. */
export async function pauseBeforeRetry(
  error: TableError,
  attempt: number,
  { maxAttempts = 3 }: ClientOptions,
  call: Call,
): Promise<void> {
  const wait = error.retryAfter === undefined ? backoff(attempt, 200, maxPauseMs) : error.retryAfter * 1_000
  if (attempt >= maxAttempts || !isRetryable(error, call) || wait > maxPauseMs) throw error
  await pause(wait, call.signal)
}

/**
 * Creates the function that sends requests with a token, retries where that is safe, and rejects with `TableError`.
 * Throws `invalid_options` for options that cannot work.
 */
export function createTransport(options: ClientOptions): Send {
  const resolveUrl = createUrlResolver(options)
  const { token } = options
  return async <T extends object>(target: string, call: Call = {}): Promise<T> => {
    const url = resolveUrl(target)
    let own = await readToken(token, call.signal)
    let isRenewed = false
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await sendOnce<T>(options, url, own, call)
      } catch (error) {
        if (!(error instanceof TableError)) throw error
        const isRefused: boolean = error.status === 401 && !isRenewed
        if (!isRefused) await pauseBeforeRetry(error, attempt, options, call)
        const before = own
        own = await readToken(token, call.signal)
        // The service refuses the same token again.
        if (isRefused && own === before) throw error
        isRenewed ||= isRefused
      }
    }
  }
}

/**
 * Creates the function that resolves request targets. A token is sent only to the origin of `baseUrl`, which replaces
 * the origin of URLs from the service (as behind a proxy for development).
 */
export function createUrlResolver(options: ClientOptions): (target: string) => string {
  const { guard = 'api' } = options
  const base = readBaseUrl(options)
  const own = `/${guard === 'web' ? '' : `${guard}/`}api-table/`
  const folder = base.pathname.slice(0, -1)
  const root = `${base.origin}${folder}${own}control-tables`
  return (target) => {
    if (target === '.') return root
    if (target.startsWith('./')) return root + target.slice(1)
    const { pathname, search } = new URL(target, base)
    // The service does not know in which folder a proxy serves it. A folder may have the name of a guard.
    const isInside =
      pathname.startsWith(folder + own) || (!pathname.startsWith(own) && pathname.startsWith(`${folder}/`))
    return base.origin + (isInside ? '' : folder) + pathname + search
  }
}

function readBaseUrl({ baseUrl, token }: ClientOptions): URL {
  if (typeof token !== 'function')
    throw new TableError('invalid_options', 'token: must be a function that returns the access token')
  const url = typeof baseUrl === 'string' ? parseUrl(`${baseUrl.replace(/\/+$/, '')}/`) : undefined
  if (url !== undefined && url.href === url.origin + url.pathname && /^https?:/.test(url.href)) return url
  throw new TableError(
    'invalid_options',
    `baseUrl: ${JSON.stringify(baseUrl)} is not a URL; give the URL of the service, such as "https://tables.example.com"`,
  )
}

/** Returns undefined for a relative URL if there is no page, and for text that is no URL. */
function parseUrl(url: string): URL | undefined {
  const { location: page } = globalThis as { readonly location?: { readonly href: string } }
  try {
    return new URL(url, page?.href)
  } catch {
    return undefined
  }
}

/**
 * Calls the user's `token` function. Rejects with its error, with `no_token` if it returns none, or when the signal
 * aborts.
 */
export async function readToken(token: ClientOptions['token'], signal?: AbortSignal): Promise<string> {
  // Callers that try again would never end if what `token` throws at once came before the abort.
  const text: unknown = await orAborted((async () => token())(), signal)
  if (typeof text === 'string' && text) return text
  throw new TableError('no_token', 'token() returned no token: let the user sign in first')
}

async function sendOnce<T extends object>(
  { fetch: send = fetch, language }: ClientOptions,
  url: string,
  token: string,
  call: Call,
): Promise<T> {
  const { body, signal, idempotencyKey, method = body ? 'POST' : 'GET' } = call
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    ...(language !== undefined && { ln: language }),
    ...(body && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  }
  const response = await send(url, {
    method,
    body: body ? JSON.stringify(body) : null,
    headers,
    credentials: 'omit',
    signal: signal ?? null,
  }).catch((cause) => {
    throw createCallError(signal, 'unreachable', 'No response came', { cause })
  })
  return readJson(await requireOk(response, signal), signal)
}

/** Returns a response with success. Rejects with the error of any other, from the service or from a proxy. */
export async function requireOk(response: Response, signal: AbortSignal | undefined): Promise<Response> {
  if (response.ok) return response
  const body = await readJson<Readonly<Record<string, unknown>>>(response, signal).catch((error: TableError) => {
    // The lost half may say that the outcome of a change is unknown.
    if (error.code !== 'bad_response') throw error
    return {}
  })
  throw createServiceError(body, response.status, response.headers.get('retry-after'))
}

/**
 * Reads a response as a JSON object. Rejects with `bad_response` for anything else, and with `unreachable` if its end
 * is lost.
 */
async function readJson<T extends object>(response: Response, signal?: AbortSignal): Promise<T> {
  const refuse = (code: string) => (cause?: unknown) => {
    throw createCallError(signal, code, 'No JSON object came', { status: response.status, cause })
  }
  const text = await response.text().catch(refuse('unreachable'))
  // The errors of `response.json` may be of another realm, such as that of jsdom.
  const body: unknown = await Promise.resolve(text).then(JSON.parse).catch(refuse('bad_response'))
  if (typeof body === 'object' && body !== null) return body as T
  return refuse('bad_response')()
}

/** Returns the query of a URL with the parameters that are not undefined. */
export const toSearch = (parameters: object): string =>
  new URLSearchParams(JSON.parse(JSON.stringify(parameters))).toString()

/** Creates an idempotency key. `crypto.randomUUID` does not exist on pages without TLS. */
export const createKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')
