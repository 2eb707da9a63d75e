import { createTableClient, TableError } from '../../../../lib/client/index.ts'
import { rejectToken, session } from '../state/session.ts'
import { deployment } from './deployment.ts'
import { logRequest } from './request-log.ts'
import type { Outcome } from './wire.ts'

const [, baseUrl = '', guard] = /^(.*?)(?:\/(api))?\/api-table\/control-tables$/.exec(deployment.base) ?? []

/** Creates the client of the service that the page came from, with the token of the user. */
export const clientOptions = (language: 'en' | 'ar') => ({
  baseUrl,
  guard: guard ?? 'web',
  language,
  token: () => session.get().token ?? '',
  fetch: fetchLogged,
  // The page tries again by itself, and says when.
  maxAttempts: 1,
})

const clients = { en: createTableClient(clientOptions('en')), ar: createTableClient(clientOptions('ar')) }

export const clientIn = (language: 'en' | 'ar') => clients[language]

/** Runs an action at the path that the service gave it. */
export const runAction = (
  language: 'en' | 'ar',
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Outcome> => clientIn(language).submit({ url: path }, body) as Promise<Outcome>

/** Writes each request into the log of the page; a refused token asks for another one as well. */
async function fetchLogged(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const { origin, pathname, search } = new URL(String(input))
  // The signed address of an upload is nobody's to copy.
  if (origin !== location.origin) return fetch(input, init)
  const { method = 'GET', body } = init
  const headers = new Headers(init.headers)
  const done = logRequest({
    method,
    path: pathname + search,
    language: headers.get('ln') ?? '',
    // The page asks for these of its own accord and again and again: the log keeps the last one only.
    quiet: method === 'GET' || pathname.endsWith('/socket-ticket'),
    ...(typeof body === 'string' && { body: JSON.parse(body) }),
  })
  const response = await fetch(input, init).catch((thrown: unknown) => {
    done({ status: init.signal?.aborted === true ? -1 : 0 })
    throw thrown
  })
  done({
    status: response.status,
    serverTiming: response.headers.get('server-timing') ?? '',
    requestId: (await readRequestId(response)) ?? response.headers.get('apigw-requestid') ?? '',
  })
  if (response.status === 401) rejectToken(headers.get('authorization')?.slice('Bearer '.length))
  return response
}

/** Only a failure names its request in the body. */
async function readRequestId(response: Response): Promise<string | undefined> {
  if (response.ok) return undefined
  const body: { readonly request_id?: string } | null = await response
    .clone()
    .json()
    .catch(() => null)
  return body?.request_id
}

export const isAborted = (thrown: unknown): boolean => thrown instanceof TableError && thrown.code === 'aborted'

/** Returns what a request was rejected with; anything else is a mistake of the page. */
export const toFailure = (thrown: unknown): TableError =>
  thrown instanceof TableError ? thrown : new TableError('unexpected', String(thrown), { cause: thrown })

/** Whether the same request may well succeed a little later. */
export const isPassing = ({ code, status }: TableError): boolean =>
  code === 'unreachable' || status === 502 || status === 503
