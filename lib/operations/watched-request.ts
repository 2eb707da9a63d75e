import { authenticateOwner } from '../auth/authenticate-caller.ts'
import type { Identity } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { parameterTexts } from '../db/statement.ts'
import { forbidden, validationFailed } from '../errors/request-error.ts'
import type { Subscription } from '../push/subscriptions.ts'
import { openColumn } from '../storage/sealed-column.ts'
import { admitCaller, assertAdmitted, openTable } from '../table/open-table.ts'
import { asSentParams } from '../table/params-query.ts'
import type { Registry } from '../table/registry.ts'
import { findUnknown } from './check-view-query.ts'
import { presentPage } from './present-names.ts'
import { readWindow, type WatchedPage } from './read-window.ts'
import { ownValue } from './table-request.ts'
import { sealingContext, type WatchedQuery } from './watch-rows.ts'

/** The part of a worker that reads what watchers see. */
export interface WatchService {
  readonly config: Config
  readonly database: Database
  readonly registry: Registry
}

/**
 * Returns a reader of the pages of subscriptions that reads an equal page once: for watchers with equal claims, as long
 * as the table looks at nothing else of their identities, and else by the same statement. Each watcher is admitted in
 * any case.
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
    if (key === undefined) return watcher.read()
    const known = pages.get(key)
    if (known !== undefined) return (await known) ?? watcher.read()
    const page = watcher.read()
    const shared = page.then(
      (read) => (watcher.sharedKey() === undefined ? undefined : read),
      () => undefined,
    )
    pages.set(key, shared)
    return page
  }
}

/** A watcher whom a table admits at this moment. */
interface AdmittedWatcher {
  /** Equal for watchers whose pages are equal; `undefined` if the page may depend on who its watcher is. */
  readonly sharedKey: () => string | undefined
  /**
   * Reads the page as a request to query-table does, and throws the same refusals. Also throws `validation_failed` for
   * a filter or a sort that the table no longer has: without it, the page would have other rows than were asked for.
   */
  readonly read: () => Promise<WatchedPage>
}

/**
 * Admits the watcher of a subscription with its present rights. Throws the same errors as a request to query-table.
 * Middlewares get a request without headers and source address, which are not stored.
 */
async function admitWatcher(
  { config, database, registry }: WatchService,
  tableName: string,
  subscription: Subscription,
): Promise<AdmittedWatcher> {
  const { identity: stored, guard, language, baseUrl } = subscription
  const owner = await authenticateOwner(registry, stored)
  const { identity, isPersonal } = observeIdentity(owner.identity)
  const incoming = {
    tableName,
    guard,
    endpoint: `${config.SERVICE_NAME}.${guard}.queryTableData`,
    method: 'POST',
    headers: {},
    sourceIp: '',
  }
  const admitted = await admitCaller(registry, { ...owner, identity }, incoming)
  const text = openQuery(config, subscription)
  const claims = plainText(owner.identity.claims)
  return {
    sharedKey: () =>
      isPersonal() || claims === undefined ? undefined : JSON.stringify([guard, language, baseUrl, claims, text]),
    read: async () => {
      const { unknown = [], ...body }: WatchedQuery = JSON.parse(text)
      const params = ownValue(body, 'params')
      const opened = openTable(admitted, { language, guard, baseUrl, config }, params, asSentParams(params))
      const page = await readWindow({
        ...opened,
        identity,
        guard,
        language,
        baseUrl,
        config,
        body: presentPage(opened.view, body),
        requestId: '',
        method: 'POST',
        headers: {},
        path: { tableName },
        query: '',
        table: admitted.table,
        database: database.as(identity),
        tenant: () => registry.tenant?.(identity),
        assertAdmitted: (endpoint) => assertAdmitted(admitted, endpoint),
      })
      const gone = findUnknown(opened.view, page.warnings).filter(([path]) => !unknown.includes(path))
      if (gone.length > 0) throw validationFailed(Object.fromEntries(gone))
      return page
    },
  }
}

/** Returns an identity that notes whether anything but its claims has been read. */
function observeIdentity(identity: Identity): { readonly identity: Identity; readonly isPersonal: () => boolean } {
  let isRead = false
  const note = () => {
    isRead = true
  }
  const observed = new Proxy(identity, {
    get: (target, key, receiver) => {
      if (key !== 'claims') note()
      return Reflect.get(target, key, receiver)
    },
    has: (target, key) => {
      note()
      return Reflect.has(target, key)
    },
    ownKeys: (target) => {
      note()
      return Reflect.ownKeys(target)
    },
    getOwnPropertyDescriptor: (target, key) => {
      note()
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
  })
  return { identity: observed, isPersonal: () => isRead }
}

/** Returns claims as JSON, by which they can be compared; `undefined` if they hold what JSON does not know. */
function plainText(claims: Identity['claims']): string | undefined {
  return isPlain(claims) ? JSON.stringify(claims) : undefined
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return value === null || ['string', 'boolean'].includes(typeof value)
  const prototype = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain)
}

/** Throws `forbidden` for a query that was sealed with another secret. */
function openQuery({ SERVICE_SECRET }: Config, subscription: Subscription): string {
  const text = openColumn(SERVICE_SECRET, sealingContext(subscription), subscription.sealedQuery)
  if (text === undefined) throw forbidden()
  return text
}

/**
 * Returns a database that runs equal statements once. With row-level security, each caller has statements of their own.
 */
function shareReads(database: Database): Database {
  const running = new Map<string, ReturnType<Database['read']>>()
  const read: Database['read'] = (text, parameters) => {
    const key = JSON.stringify([text, parameterTexts(parameters)])
    const rows = running.get(key) ?? database.read(text, parameters)
    running.set(key, rows)
    return rows
  }
  const shared: Database = {
    ...database,
    read,
    as: (identity) => {
      const own = database.as(identity)
      return own === database ? shared : own
    },
  }
  return shared
}
