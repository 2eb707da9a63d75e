import { type CallOptions, jsonOf, type Send } from './transport.ts'

/** A link to a file that the caller requested. */
export interface OwnDownload {
  readonly id: string
  /** Null once it is revoked. */
  readonly url: string | null
  readonly filename: string
  readonly content_type: string
  readonly bytes: number
  readonly table: string | null
  readonly action: string | null
  readonly job_id: string | null
  /** The address to which the link was mailed; null for the caller's own. */
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

/** The links that the caller requested. */
export function downloadsBy(send: Send) {
  const change = async (id: string, verb: string, body: object, { signal }: CallOptions): Promise<OwnDownload> => {
    const response = await send(`./downloads/${encodeURIComponent(id)}/${verb}`, { body, signal })
    return (await jsonOf<{ readonly download: OwnDownload }>(response, signal)).download
  }
  return {
    downloads: async (query: DownloadQuery = {}, { signal }: CallOptions = {}): Promise<DownloadPage> => {
      const asked = new URLSearchParams(
        Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
      )
      return jsonOf(await send(`./downloads?${asked}`, { signal }), signal)
    },
    /** Ends a link for everybody who has it. */
    revokeDownload: (id: string, call: CallOptions = {}): Promise<OwnDownload> => change(id, 'revoke', {}, call),
    /** Lets a link work for so many days from now; default: as long as links in mails do. */
    extendDownload: (id: string, days?: number, call: CallOptions = {}): Promise<OwnDownload> =>
      change(id, 'extend', days === undefined ? {} : { days }, call),
  }
}
