import { safeUrl } from '../rows/safe-url.ts'

const reply = Symbol('reply')

/** A response that is not `{"success": true, …}` as JSON: a file, a redirection, or the text of an earlier response. */
export interface Reply {
  readonly [reply]: true
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Text as it is, bytes base64-encoded. */
  readonly body: string | Uint8Array
}

/** Makes an operation answer with this instead of a payload. */
export const replyWith = (
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array = '',
): Reply => ({ [reply]: true, status, headers, body })

export const isReply = (value: object): value is Reply => reply in value

const isFile = /^data:/i

/**
 * A link of a response, also under the names that older clients read. Data without a `url` is returned as it is. A URL
 * of an author that could run a script in the client's page leads nowhere.
 */
export const downloadData = (data: object): object => {
  if (!('url' in data)) return data
  const name = 'filename' in data ? { name: data.filename } : {}
  // A file that is in its address belongs to no page, so that it can run nothing in the client's.
  const url = isFile.test(String(data.url)) ? data.url : safeUrl(data.url)
  return { file: url, ...name, ...data, url }
}
