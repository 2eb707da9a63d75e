import { createService, rowTableAction, type Service, tableEndpoint, wakeWatchersAfter } from '#lib'
import { startGateway } from '../../../infra/local/gateway/gateway.ts'
import { startSocketGateway } from '../../../infra/local/gateway/socket-gateway.ts'
import { loadConfig } from '../../../lib/config.ts'
import { mountRoutes } from '../../../lib/routes.ts'
import { createSocketRoutes } from '../../support/sockets/socket-routes.ts'
import { liveRegistry } from '../live/parcels.ts'

// Both gateways of the local stack, with the functions of an action and of WebSockets.
const running: Service[] = []
const service = () => running[0] as Service
const sockets = await startSocketGateway({ routes: createSocketRoutes(liveRegistry, service) })
process.env['SOCKET_ENDPOINT'] = sockets.managementEndpoint
const config = loadConfig()
running.push(createService(config))
const action = {
  name: 'row-table-action',
  handler: tableEndpoint(liveRegistry, { name: 'rowTableAction', run: wakeWatchersAfter(rowTableAction) }, service),
}
const routes = mountRoutes(config.GUARDS).filter(({ route }) => route.functionName === action.name)
const gateway = await startGateway({ routes: new Map(routes.map(({ routeKey }) => [routeKey, action])) })
process.on('disconnect', () => process.exit())
process.send?.({ port: gateway.port, url: sockets.url, managementEndpoint: sockets.managementEndpoint })
