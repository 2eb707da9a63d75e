const reply = Symbol('reply')

/** An answer that is not `{"success": true, …}` as JSON: a file, a redirection, or the text of an earlier answer. */
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
