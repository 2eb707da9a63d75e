import * as z from 'zod'
import { guardBasePath } from '../../lib/routes.ts'
import { errorMessage } from '../local/error-message.ts'
import { type Advice, NoResponse, StepFailure } from './step-failure.ts'

/** The service that the smoke test calls, and its token. */
export interface SmokeTarget {
  /** In front of every path, without a slash at its end. */
  readonly baseUrl: string
  readonly guards: readonly string[]
  /** An access token of a caller who sees at least one row. */
  readonly token: string
  /** A page's origin that the service allows; `undefined` where it is not known. */
  readonly origin: string | undefined
}

export interface ServiceCall {
  readonly method?: 'GET' | 'POST' | 'OPTIONS'
  /** Makes it a POST. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** `null`: none. Default: that of the target. */
  readonly token?: string | null
}

export interface ServiceResponse {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  /** `undefined` for a body that is no JSON. */
  readonly json: unknown
}

const timeoutMs = 35_000

/** Calls the service; redirects are responses. Throws `NoResponse` where nothing answers. */
export async function callService(target: SmokeTarget, path: string, call: ServiceCall = {}): Promise<ServiceResponse> {
  const url = new URL(path, target.baseUrl).href
  const { body, token = target.token, method = body === undefined ? 'GET' : 'POST' } = call
  const headers = {
    accept: 'application/json',
    ln: 'en',
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...call.headers,
  }
  const sent = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) } as const
  try {
    const response = await fetch(url, { ...sent, ...(body !== undefined && { body: JSON.stringify(body) }) })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { url, status: response.status, headers: response.headers, bytes, json: readJson(bytes) }
  } catch (cause) {
    throw new NoResponse(`${method} ${url}: ${errorMessage(cause)}`, { cause, ...adviceOnFailure(cause, url) })
  }
}

/** Calls the service, and throws `StepFailure` unless it answers 200. */
export async function callPassing(target: SmokeTarget, path: string, call?: ServiceCall): Promise<ServiceResponse> {
  const response = await callService(target, path, call)
  expectStatus(response, 200)
  return response
}

/** Returns the path of an endpoint on the target's first guard; `segments` are names, which are encoded. */
export const endpointPath = ({ guards }: SmokeTarget, endpoint: string, ...segments: readonly string[]): string =>
  [`${guardBasePath(guards[0] ?? 'api')}/${endpoint}`, ...segments.map(encodeURIComponent)].join('/')

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

const unreachable = (url: string): Advice => ({
  likely: 'The name does not resolve, nothing listens there, or the certificate is of another name',
  fix: `Compare ${new URL(url).origin} with the stack's output Url; with a domain, write the DomainTarget outputs into your DNS`,
})

const adviceOnFailure = (cause: unknown, url: string): Advice =>
  cause instanceof DOMException && cause.name === 'TimeoutError'
    ? {
        likely: `Something listens there, and gives no response in ${timeoutMs / 1_000} s`,
        fix: `Look whether ${new URL(url).origin} is the stack's output Url, and at the logs of the function`,
      }
    : unreachable(url)

const failure = z.looseObject({ code: z.string(), message: z.string(), request_id: z.string() })

/** Throws `StepFailure` unless the response has this status and, for a failure, the envelope with this code. */
export function expectStatus(response: ServiceResponse, status: number, code?: string): void {
  const seen = failure.safeParse(response.json)
  if (response.status === status && (code === undefined || seen.data?.code === code)) return
  const wanted = code === undefined ? String(status) : `${status} ${code}`
  const envelope = seen.success
    ? `${seen.data.code}: ${seen.data.message} (request_id ${seen.data.request_id})`
    : `no envelope of the service: ${response.bytes.toString().slice(0, 200) || '(empty)'}`
  throw new StepFailure(
    `${response.url} answered ${response.status} instead of ${wanted}; ${envelope}`,
    adviceOn(response.status, seen.data?.code),
  )
}

/** Reads a body by its schema. Throws `StepFailure` with the first place that does not fit. */
export function readBody<Output>(schema: z.ZodType<Output>, { url, json }: ServiceResponse): Output {
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new StepFailure(`${url}: the response has no readable ${issue?.path.join('.') || 'body'} (${issue?.message})`, {
    likely: 'Another version of the service than this checkout runs there',
    fix: 'Check out the commit that was deployed, or deploy this one',
  })
}

/** Returns the meaning of a status on any step; `undefined` if it depends on the step. */
function adviceOn(status: number, code: string | undefined): Advice | undefined {
  if (code === undefined) return withoutEnvelope(status)
  if (code === 'unauthenticated')
    return {
      likely: 'The token has expired, or its issuer or audience is not that of the stage',
      fix: "Take a fresh access token of the issuer in the stage's auth settings",
    }
  if (code === 'forbidden')
    return { likely: 'A middleware refuses the caller', fix: 'Use a token of a user who may load the table' }
  if (code === 'unavailable')
    return {
      likely: 'The database, the queue or the token issuer cannot be reached by the functions',
      fix: 'RUNBOOK.md, "Requests fail", with the request_id',
    }
  if (code === 'timed_out')
    return { likely: 'A statement takes too long', fix: 'RUNBOOK.md, "Pages of rows take long"; or choose --table' }
  if (code === 'internal_error')
    return { likely: 'A fault in the code', fix: 'RUNBOOK.md, "Requests fail", with the request_id' }
  return undefined
}

function withoutEnvelope(status: number): Advice | undefined {
  if (status === 429)
    return {
      likely: "API Gateway throttles: more than the stage's requestsPerSecond",
      fix: 'Run again, or raise requestsPerSecond',
    }
  if (status === 503)
    return {
      likely: 'Lambda throttles: the function runs as often as it may, or the account has no concurrency left',
      fix: 'Run again; then RUNBOOK.md, "Clients are answered 429 or 503 by API Gateway"',
    }
  if (status >= 500)
    return {
      likely: 'The function does not start or crashes: a missing file, variable or permission',
      fix: 'RUNBOOK.md, "Requests fail": the log of the function says "Runtime." or "Settings are missing"',
    }
  if (status === 403 || status === 404)
    return {
      likely:
        'This host is no HTTP API of the service, or its default endpoint is disabled since the stage has a domain',
      fix: "Use the stack's output Url",
    }
  return undefined
}
