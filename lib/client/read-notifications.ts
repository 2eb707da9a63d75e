import type { Notification } from './job.ts'
import { type CallOptions, type Send, toSearch } from './transport.ts'

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
  notifications: (query: NotificationQuery = {}, { signal }: CallOptions = {}): Promise<NotificationPage> =>
    send(`./notifications?${toSearch(query)}`, { signal }),
  /** Marks notifications as read; default: all of them. */
  readNotifications: (
    ids?: readonly number[],
    { signal }: CallOptions = {},
  ): Promise<Pick<NotificationPage, 'unread_count'>> =>
    send('./notifications/read', { body: ids === undefined ? {} : { ids }, signal }),
})
