import { log } from '../telemetry/log.ts'

/** What a message says, as JSON. */
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

/** The most bytes of a message, which is 128 KB in either way of counting. */
export const mostMessageBytes = 128_000

/**
 * The text of a message. Data that would make it larger than a message may be is replaced by `{ url }`, or by
 * `{ omitted: true }` where no link can be had; a boolean `success` in the data stays.
 */
export async function messageText(message: PushMessage, link: Link | undefined): Promise<string> {
  const text = textOf(message)
  if (Buffer.byteLength(text) <= mostMessageBytes) return text
  const { success } = message.data
  const pointer = await pointerTo(message, link)
  return textOf({ ...message, data: { ...(typeof success === 'boolean' && { success }), ...pointer } })
}

async function pointerTo({ data, event }: PushMessage, link: Link | undefined): Promise<PushData> {
  if (link === undefined) return { omitted: true }
  try {
    return await link(JSON.stringify(data)).then((url) => ({ url }))
  } catch (error) {
    const cause = error instanceof Error ? error.name : typeof error
    log('warn', 'a result could not be linked', { event, cause })
    return { omitted: true }
  }
}

const textOf = ({ event, channel, id, seq, data }: PushMessage): string =>
  JSON.stringify({ event, channel, id, seq, data })
