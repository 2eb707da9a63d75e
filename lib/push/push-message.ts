import { errorName, log } from '../telemetry/log.ts'

/** The JSON data of a message. */
export type PushData = Readonly<Record<string, unknown>>

/** One message to a client, sent as one JSON text. */
export interface PushMessage {
  readonly event: string
  readonly channel: string
  readonly id: string | number
  /** Grows within a channel, so that a client can put messages in order and ignore what it has seen. */
  readonly seq: number
  readonly data: PushData
}

/** Stores the JSON text of a message's data for the caller and returns a URL that leads to it. */
export type Link = (json: string) => Promise<string>

/** API Gateway takes 128 KB; this is less whether a KB has 1,000 or 1,024 bytes. */
export const maxMessageBytes = 128_000

/**
 * Returns the text of a message. Data that is too large becomes `{ url }`, or `{ omitted: true }` without a link; a
 * boolean `success` in the data stays.
 */
export async function messageText(message: PushMessage, link: Link | undefined): Promise<string> {
  const text = formatMessage(message)
  if (Buffer.byteLength(text) <= maxMessageBytes) return text
  const { success } = message.data
  const pointer = await createPointer(message, link)
  return formatMessage({ ...message, data: { ...(typeof success === 'boolean' && { success }), ...pointer } })
}

async function createPointer({ data, event }: PushMessage, link: Link | undefined): Promise<PushData> {
  if (link === undefined) return { omitted: true }
  try {
    return await link(JSON.stringify(data)).then((url) => ({ url }))
  } catch (error) {
    log(
      'warn',
      'the data of a WebSocket message is too large and could not be stored; the client receives `omitted` in its place',
      { event, cause: errorName(error) },
    )
    return { omitted: true }
  }
}

const formatMessage = ({ event, channel, id, seq, data }: PushMessage): string =>
  JSON.stringify({ event, channel, id, seq, data })
