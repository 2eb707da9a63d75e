import {
  createService,
  rowTableAction,
  type Service,
  socketConnect,
  socketCount,
  socketDisconnect,
  socketMessage,
  socketQuestions,
  socketSubscribe,
  socketUnsubscribe,
  tableEndpoint,
  wakingWatchers,
} from '#lib'
import { startGateway } from '../../../infra/local/gateway/gateway.ts'
import { startSocketGateway } from '../../../infra/local/gateway/socket-gateway.ts'
import { loadConfig } from '../../../lib/config.ts'
import { mountRoutes } from '../../../lib/routes.ts'
import { liveRegistry } from '../live/parcels.ts'

// Both gateways of the local stack, with the functions of an action and of WebSockets.
const running: Service[] = []
const service = () => running[0] as Service
const questions = {
  name: 'socket-count',
  handler: socketQuestions({
    count: socketCount(liveRegistry, service),
    subscribe: socketSubscribe(liveRegistry, service),
    unsubscribe: socketUnsubscribe(service),
  }),
}
const sockets = await startSocketGateway({
  routes: {
    $connect: { name: 'socket-connect', handler: socketConnect(liveRegistry, service) },
    $disconnect: { name: 'socket-disconnect', handler: socketDisconnect(service) },
    $default: { name: 'socket-message', handler: socketMessage(service) },
    ...{ count: questions, subscribe: questions, unsubscribe: questions },
  },
})
process.env['SOCKET_ENDPOINT'] = sockets.managementEndpoint
const config = loadConfig()
running.push(createService(config))
const run = process.argv.includes('unaware') ? rowTableAction : wakingWatchers(rowTableAction)
const action = {
  name: 'row-table-action',
  handler: tableEndpoint(liveRegistry, { name: 'rowTableAction', run }, service),
}
const routes = mountRoutes(config.GUARDS).filter(({ route }) => route.functionName === action.name)
const gateway = await startGateway({ routes: new Map(routes.map(({ routeKey }) => [routeKey, action])) })
process.on('disconnect', () => process.exit())
process.send?.({ port: gateway.port, url: sockets.url, managementEndpoint: sockets.managementEndpoint })
