import { abortedBy } from './pause.ts'
import { errorOfAnswer, TableError } from './table-error.ts'
import { answerOf, type CallOptions } from './transport.ts'

export interface DownloadedFile {
  readonly blob: Blob
  readonly fileName: string
}

/** Fetches the file behind a link, without a token: the link is one. A page that only saves it goes there instead. */
export async function downloaded(
  send: typeof fetch,
  link: { readonly url: string; readonly filename?: string },
  { signal }: CallOptions,
): Promise<DownloadedFile> {
  try {
    const response = await send(link.url, { credentials: 'omit', signal: signal ?? null })
    if (!response.ok) throw errorOfAnswer(response, await answerOf(response))
    const said = /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get('content-disposition') ?? '')?.[1]
    const fileName = link.filename ?? (said === undefined ? 'download' : decodeURIComponent(said))
    return { blob: await response.blob(), fileName }
  } catch (cause) {
    if (cause instanceof TableError) throw cause
    throw signal?.aborted === true ? abortedBy(signal) : new TableError('unreachable', 'No file came', { cause })
  }
}
