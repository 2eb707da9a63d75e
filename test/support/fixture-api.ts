import { loadConfig } from '../../lib/config.ts'
import {
  bulkTableAction,
  callerEndpoint,
  createService,
  download,
  listNotifications,
  loadTable,
  multiRowRefetch,
  openApiEndpoint,
  publicEndpoint,
  queryTable,
  type Registry,
  revokeDownload,
  routeNotFound,
  rowBulkTableAction,
  rowRefetch,
  rowTableAction,
  type Service,
  tableEndpoint,
  tableListEndpoint,
} from '../../lib/index.ts'
import { type Api, createApi } from './api.ts'
import { testDatabase } from './database.ts'
import { north } from './fixture-identity.ts'
import { fixtureRegistry, fixtureTemplate } from './fixture-registry.ts'
import { type IdentityProvider, startIdentityProvider } from './tokens.ts'

export interface FixtureApi extends Api {
  readonly provider: IdentityProvider
  readonly databaseUrl: string
  /** The same tables, rows and tokens behind other settings or tables. */
  readonly variant: (settings: Readonly<Record<string, string>>, registry?: Registry) => Api
  readonly stop: () => Promise<void>
}

export const publicUrl = 'https://tables.example.test'

/** The endpoints over the fixture's tables, called as `north` unless a test says otherwise. Stop it in `afterAll`. */
export async function startFixtureApi(settings: Readonly<Record<string, string>> = {}): Promise<FixtureApi> {
  const [provider, database] = await Promise.all([startIdentityProvider(), testDatabase(fixtureTemplate)])
  const environment = {
    DATABASE_URL: database.serviceUrl,
    DATABASE_TLS: 'off',
    LOG_LEVEL: 'warn',
    SERVICE_SECRET: 'fixture-secret-of-more-than-32-characters',
    PUBLIC_URL: publicUrl,
    ...provider.environment,
  }
  const services: Service[] = []
  const variant: FixtureApi['variant'] = (changed, registry = fixtureRegistry) => {
    const service = createService(loadConfig({ ...environment, ...settings, ...changed }))
    services.push(service)
    const { GUARDS: guards, ITEM_ACTIONS: itemActions } = service.config
    const describing = { registry, itemActions }
    const defaults = { tokenFor: provider.tokenFor, as: north, guards, describing }
    return createApi(createHandlers(registry, service), defaults)
  }
  return {
    ...variant({}),
    provider,
    databaseUrl: database.url,
    variant,
    stop: async () => {
      await Promise.all(services.map((service) => service.database.close()))
      await Promise.all([database.drop(), provider.stop()])
    },
  }
}

function createHandlers(registry: Registry, service: Service) {
  const running = () => service
  return {
    listTables: tableListEndpoint(registry, running),
    openApi: openApiEndpoint(registry, running),
    loadTable: tableEndpoint(registry, { name: 'loadTable', run: loadTable }, running),
    queryTableData: tableEndpoint(registry, { name: 'queryTableData', run: queryTable }, running),
    rowRefetch: tableEndpoint(registry, { name: 'rowRefetch', run: rowRefetch }, running),
    rowTableAction: tableEndpoint(registry, { name: 'rowTableAction', run: rowTableAction }, running),
    rowBulkTableAction: tableEndpoint(registry, { name: 'rowBulkTableAction', run: rowBulkTableAction }, running),
    bulkTableAction: tableEndpoint(registry, { name: 'bulkTableAction', run: bulkTableAction }, running),
    multiRowRefetch: tableEndpoint(registry, { name: 'multiRowRefetch', run: multiRowRefetch }, running),
    listNotifications: callerEndpoint(registry, { name: 'listNotifications', run: listNotifications }, running),
    revokeDownload: callerEndpoint(registry, { name: 'revokeDownload', run: revokeDownload }, running),
    download: publicEndpoint({ name: 'download', run: download }, running),
    fallback: routeNotFound(() => service.config),
  }
}
