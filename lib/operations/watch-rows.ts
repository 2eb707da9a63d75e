import { fieldFault } from '../errors/field-fault.ts'
import { forbidden, RequestError, validationFailed } from '../errors/request-error.ts'
import { wakeWatchers } from '../jobs/queue.ts'
import { beginPoll, type Poll, pollSeconds } from '../push/row-polls.ts'
import { maxSubscriptions, type SubscriptionName, storeSubscription } from '../push/subscriptions.ts'
import { jsonList } from '../rows/json-text.ts'
import { sealColumn } from '../storage/sealed-column.ts'
import { log } from '../telemetry/log.ts'
import { findUnknown } from './check-view-query.ts'
import { assertWatchable, readWindow } from './read-window.ts'
import type { Payload, TableRequest, UnknownBody } from './table-request.ts'

/** Longer than any request: an action that began before the subscription has ended by then. */
const laterLookSeconds = 35
/** The maximum length of a query as JSON. */
const maxQueryLength = 8_000

/**
 * The body of a watched page, with the paths of the filters and sorts that the table did not have when it was
 * subscribed to.
 */
export type WatchedQuery = UnknownBody & { readonly unknown?: readonly string[] }

/** Returns the context in which the query of a subscription is sealed. */
export const sealingContext = ({ connectionId, id }: SubscriptionName): string => `subscription ${connectionId} ${id}`

/** Subscribes a connection to the page that the body shows, and returns that page. */
export async function watchRows(request: TableRequest, name: SubscriptionName): Promise<Payload> {
  const { body, config, database, table, identity, guard, language, baseUrl } = request
  assertWatchable(request)
  if (JSON.stringify(body).length > maxQueryLength)
    throw validationFailed({ query: [fieldFault('too_long', { max: maxQueryLength })] })
  const { items, rows, warnings } = await readWindow(request)
  const unknown = findUnknown(request.view, warnings).map(([path]) => path)
  const kept: WatchedQuery = { ...body, ...(unknown.length > 0 && { unknown }) }
  const sealedQuery = sealColumn(config.SERVICE_SECRET, sealingContext(name), JSON.stringify(kept))
  const subscription = { ...name, tableName: table.name, identity, guard, language, baseUrl, sealedQuery, shown: rows }
  let poll: Poll | undefined
  const beginsPoll = table.definition.live === true
  const outcome = await storeSubscription(database, subscription, laterLookSeconds, async (run) => {
    if (beginsPoll) poll = await beginPoll(run, table)
  })
  if (outcome === 'no_socket') throw forbidden(otherCaller)
  if (outcome === 'too_many') throw new RequestError('too_many_requests', {}, { text: tooManySubscriptions })
  await wakeWatchers(config, table.name, laterLookSeconds)
  if (poll?.isBegun) await wakeWatchers(config, table.name, pollSeconds, poll.number)
  const lacksTrigger = poll?.hasTrigger === false
  if (lacksTrigger && poll?.isBegun) log('error', noTrigger, { table: table.name })
  return {
    table: table.name,
    items: jsonList(items),
    ...(warnings.length > 0 && { warnings }),
    ...(lacksTrigger && { other_writers: false }),
  }
}

const noTrigger =
  'a table with live: true has no enabled trigger: its pages do not show the writes of other programs; npm run table:lint writes the trigger'

const otherCaller = {
  en: 'The token of a subscription must belong to the caller who opened the WebSocket',
  ar: 'يجب أن يكون رمز الوصول في الاشتراك للمستخدم الذي فتح قناة WebSocket',
}

const tooManySubscriptions = {
  en: `One WebSocket may have no more than ${maxSubscriptions} subscriptions; end one of them by unsubscribe`,
  ar: `لا يمكن أن يتجاوز عدد اشتراكات قناة WebSocket الواحدة ${maxSubscriptions} اشتراكًا؛ أنهِ أحدها بالحدث unsubscribe`,
}
