import postgres, { type Sql } from 'postgres'
import { type SocketGateway, startSocketGateway } from '../../../infra/local/gateway/socket-gateway.ts'
import { accountVariables } from '../../../infra/local/local-account.ts'
import { loadConfig } from '../../../lib/config.ts'
import {
  callerEndpoint,
  createRegistry,
  createService,
  type LoadedRegistry,
  listNotifications,
  readNotifications,
  type Service,
  socketTicket,
} from '../../../lib/index.ts'
import { serviceSchema } from '../database/service-schema.ts'
import { testDatabase } from '../database/test-database.ts'
import { fixtureClaims, north } from '../fixtures/identities.ts'
import { type Api, createApi } from '../requests/api.ts'
import { type IdentityProvider, startIdentityProvider, type TestIdentity } from '../requests/identity-provider.ts'
import { serviceEnvironment } from '../requests/service-environment.ts'
import { openPushClient, type PushClient, type PushClientOptions } from './push-client.ts'
import { createSocketRoutes } from './socket-routes.ts'

export interface PushInstallation extends Api {
  readonly service: Service
  readonly gateway: SocketGateway
  readonly provider: IdentityProvider
  readonly sql: Sql
  /** Opens a socket with a valid token of this identity. */
  readonly connect: (as?: TestIdentity) => Promise<PushClient>
  /** Opens a socket with what the URL's query and the options say. */
  readonly open: (query: Readonly<Record<string, string>>, options?: PushClientOptions) => Promise<PushClient>
  readonly stop: () => Promise<void>
}

const noTables = createRegistry([], { claims: fixtureClaims })

/** The WebSocket API, tickets and notifications over an empty database and a local gateway; stop it in `afterAll`. */
export async function startPushInstallation(
  settings: Readonly<Record<string, string>> = {},
  registry: LoadedRegistry = noTables,
): Promise<PushInstallation> {
  Object.assign(process.env, accountVariables)
  const [provider, database] = await Promise.all([startIdentityProvider(), testDatabase(serviceSchema)])
  const running: Service[] = []
  const current = () => running[0] as Service
  const gateway = await startSocketGateway({ routes: createSocketRoutes(registry, current) })
  const environment = {
    ...serviceEnvironment(database.serviceUrl, provider),
    DATABASE_CONNECTIONS: '2',
    SOCKET_ENDPOINT: gateway.managementEndpoint,
    SOCKET_URL: gateway.url,
  }
  const service = createService(loadConfig({ ...environment, ...settings }))
  running.push(service)
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  const open: PushInstallation['open'] = (query, options) =>
    openPushClient(`${gateway.url}?${new URLSearchParams(query)}`, options)
  return {
    ...createApi(createHandlers(registry, current), {
      tokenFor: provider.tokenFor,
      as: north,
      describing: { registry },
    }),
    service,
    gateway,
    provider,
    sql,
    open,
    connect: (as = north) => open({}, { protocols: ['bearer', provider.tokenFor(as)] }),
    stop: async () => {
      await gateway.stop()
      await Promise.all([service.database.close(), sql.end({ timeout: 5 })])
      await Promise.all([database.drop(), provider.stop()])
    },
  }
}

const createHandlers = (registry: LoadedRegistry, service: () => Service) => ({
  socketTicket: callerEndpoint(registry, { name: 'socketTicket', run: socketTicket }, service),
  listNotifications: callerEndpoint(registry, { name: 'listNotifications', run: listNotifications }, service),
  readNotifications: callerEndpoint(registry, { name: 'readNotifications', run: readNotifications }, service),
})
