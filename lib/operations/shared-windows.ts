import type { Subscription } from '../push/subscriptions.ts'
import { readWindow, type WatchedPage } from './read-window.ts'
import { admitWatcher, shareReads, type WatchService } from './watched-request.ts'

/**
 * Returns a reader of the pages of subscriptions that reads an equal page once: for watchers with equal claims, as long as the table
 * looks at nothing else of their identities, and else by the same statement. Each watcher is admitted in any case.
 */
export function createWindowReader(
  service: WatchService,
  tableName: string,
): (subscription: Subscription) => Promise<WatchedPage> {
  const sharing = { ...service, database: shareReads(service.database) }
  const pages = new Map<string, Promise<WatchedPage | undefined>>()
  return async (subscription) => {
    const watcher = await admitWatcher(sharing, tableName, subscription)
    const key = watcher.sharedKey()
    if (key === undefined) return readWindow(watcher.open())
    const known = pages.get(key)
    if (known !== undefined) return (await known) ?? readWindow(watcher.open())
    const page = readWindow(watcher.open())
    const shared = page.then(
      (read) => (watcher.sharedKey() === undefined ? undefined : read),
      () => undefined,
    )
    pages.set(key, shared)
    return page
  }
}
