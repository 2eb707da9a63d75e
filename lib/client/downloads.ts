import { createCallError } from './pause.ts'
import { TableError } from './table-error.ts'
import { type CallOptions, type ClientOptions, pauseBeforeRetry, requireOk, type Send, toSearch } from './transport.ts'

/** A link to a file that the caller requested. */
export interface OwnDownload {
  readonly id: string
  /** Null if the link is revoked. */
  readonly url: string | null
  readonly filename: string
  readonly content_type: string
  readonly bytes: number
  readonly table: string | null
  readonly action: string | null
  readonly job_id: string | null
  /** The address that received the link by e-mail; null for the caller's own link. */
  readonly recipient: string | null
  readonly created_at: string
  readonly expires_at: string
  readonly revoked_at: string | null
}

export interface DownloadPage {
  /** The newest first. */
  readonly items: readonly OwnDownload[]
  /** The `before` of the next page; null on the last. */
  readonly next: string | null
}

export interface DownloadQuery {
  readonly before?: string
  /** 1 to 100; default 50. */
  readonly limit?: number
  /** The id of a job. */
  readonly job?: string
}

/** Creates the calls for the links that the caller requested. */
export function createDownloadCalls(send: Send) {
  const change = async (id: string, verb: string, body: object, { signal }: CallOptions): Promise<OwnDownload> => {
    const path = `./downloads/${encodeURIComponent(id)}/${verb}`
    return (await send<{ readonly download: OwnDownload }>(path, { body, signal })).download
  }
  return {
    downloads: (query: DownloadQuery = {}, { signal }: CallOptions = {}): Promise<DownloadPage> =>
      send(`./downloads?${toSearch(query)}`, { signal }),
    /** Revokes a link for everybody who has it. */
    revokeDownload: (id: string, call: CallOptions = {}): Promise<OwnDownload> => change(id, 'revoke', {}, call),
    /** Lets a link expire `days` from now; default: the lifetime of links in e-mails. */
    extendDownload: (id: string, days?: number, call: CallOptions = {}): Promise<OwnDownload> =>
      change(id, 'extend', days === undefined ? {} : { days }, call),
  }
}

export interface DownloadedFile {
  readonly blob: Blob
  readonly fileName: string
}

/** Fetches the file behind a link. Sends no token: the link itself grants access. */
export async function fetchFile(
  options: ClientOptions,
  resolveUrl: (target: string) => string,
  link: { readonly url: string; readonly filename?: string },
  { signal }: CallOptions,
): Promise<DownloadedFile> {
  const { fetch: send = fetch } = options
  // A link that an action's own code has made may lead to another server.
  const url = /^[^?#]*\/control-tables\/downloads\//.test(link.url) ? resolveUrl(link.url) : link.url
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await requireOk(await send(url, { credentials: 'omit', signal: signal ?? null }), signal)
      const fileName = link.filename ?? readFileName(response.headers.get('content-disposition') ?? '')
      return { blob: await response.blob(), fileName }
    } catch (cause) {
      const error =
        cause instanceof TableError ? cause : createCallError(signal, 'unreachable', 'No whole file came', { cause })
      await pauseBeforeRetry(error, attempt, options, { signal })
    }
  }
}

function readFileName(disposition: string): string {
  try {
    return decodeURIComponent(/filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1] ?? 'download')
  } catch {
    return 'download'
  }
}
