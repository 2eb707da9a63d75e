import { rejectToken, session } from '../state/session.ts'
import { Failure, isAborted } from './failure.ts'
import { logRequest } from './request-log.ts'

export interface Sent {
  /** Makes it a POST. */
  readonly body?: unknown
  readonly language: string
  readonly signal?: AbortSignal
  /** Whether a second attempt must do nothing: for actions. */
  readonly once?: boolean
  /** Set for requests that the page repeats by itself: the log keeps only the last one. */
  readonly quiet?: boolean
}

/** Calls an endpoint by its path. Throws a `Failure`, or an `AbortError`; a refused token asks for another one as well. */
export async function send<Answer>(
  path: string,
  { body, language, signal, once = false, quiet = false }: Sent,
): Promise<Answer> {
  const { token } = session.get()
  const method = body === undefined ? 'GET' : 'POST'
  const done = logRequest({ method, path, language, quiet, ...(body !== undefined && { body }) })
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ln: language,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(once && { 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    credentials: 'omit',
  }).catch((thrown) => {
    done({ status: isAborted(thrown) ? -1 : 0 })
    throw isAborted(thrown) ? thrown : new Failure({ status: 0, code: 'unreachable', message: '' })
  })
  const answer = await readJson(response)
  done({
    status: response.status,
    serverTiming: response.headers.get('server-timing') ?? '',
    requestId: String(answer['request_id'] ?? response.headers.get('apigw-requestid') ?? ''),
  })
  if (response.status === 401) rejectToken(token)
  if (!response.ok) throw createFailure(response.status, answer)
  // The service and the page are of one version: what the wire says is what wire.ts says.
  return answer as Answer
}

async function readJson(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const read: unknown = await response.json().catch((thrown) => {
    if (isAborted(thrown)) throw thrown
    return {}
  })
  return typeof read === 'object' && read !== null ? (read as Readonly<Record<string, unknown>>) : {}
}

const createFailure = (status: number, { code, message, fields, request_id: id }: Readonly<Record<string, unknown>>) =>
  new Failure({
    status,
    code: String(code ?? 'unexpected'),
    message: String(message ?? ''),
    ...(typeof fields === 'object' && fields !== null && { fields: fields as Failure['fields'] }),
    ...(typeof id === 'string' && { requestId: id }),
  })
