import type { Notification } from './job.ts'
import { type CallOptions, readJson, type Send } from './transport.ts'

export interface NotificationPage {
  /** The newest first. */
  readonly items: readonly Notification[]
  readonly unread_count: number
  /** The `before` of the next page; null on the last. */
  readonly next: number | null
}

export interface NotificationQuery {
  readonly before?: number
  readonly after?: number
  /** 1 to 100; default 50. */
  readonly limit?: number
  readonly unread?: boolean
}

/** Creates the calls for the caller's notifications. */
export const createNotificationCalls = (send: Send) => ({
  notifications: async (query: NotificationQuery = {}, { signal }: CallOptions = {}): Promise<NotificationPage> => {
    const parameters = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    return readJson(await send(`./notifications?${parameters}`, { signal }), signal)
  },
  /** Marks notifications as read; default: all of them. */
  readNotifications: async (
    ids?: readonly number[],
    { signal }: CallOptions = {},
  ): Promise<Pick<NotificationPage, 'unread_count'>> =>
    readJson(await send('./notifications/read', { body: ids === undefined ? {} : { ids }, signal }), signal),
})
