import {
  type LoadedRegistry,
  type Service,
  socketConnect,
  socketCount,
  socketDisconnect,
  socketMessage,
  socketPing,
  socketSubscribe,
  socketUnsubscribe,
} from '../../../lib/index.ts'

/** The routes of the WebSocket API with their functions, as a stage has them. */
export function createSocketRoutes(registry: LoadedRegistry, service: () => Service) {
  const ping = socketPing(service)
  const questions = {
    ping,
    count: socketCount(registry, service),
    subscribe: socketSubscribe(registry, service),
    unsubscribe: socketUnsubscribe(service),
  }
  return {
    $connect: { name: 'socket-connect', handler: socketConnect(registry, service) },
    $disconnect: { name: 'socket-disconnect', handler: socketDisconnect(service) },
    ping: { name: 'socket-ping', handler: ping },
    $default: { name: 'socket-message', handler: socketMessage(questions, service) },
  }
}
