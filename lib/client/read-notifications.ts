import type { Notification } from './job.ts'
import { type CallOptions, jsonOf, type Send } from './transport.ts'

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
  /** 1 to 100; left out: 50. */
  readonly limit?: number
  readonly unread?: boolean
}

/** The caller's notifications. */
export const notificationsBy = (send: Send) => ({
  notifications: async (query: NotificationQuery = {}, { signal }: CallOptions = {}): Promise<NotificationPage> => {
    const asked = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    return jsonOf(await send(`./notifications?${asked}`, { signal }), signal)
  },
  /** Marks them as read; without ids all of them. */
  readNotifications: async (
    ids?: readonly number[],
    { signal }: CallOptions = {},
  ): Promise<Pick<NotificationPage, 'unread_count'>> =>
    jsonOf(await send('./notifications/read', { body: ids === undefined ? {} : { ids }, signal }), signal),
})
