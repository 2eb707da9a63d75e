import { startGateway } from './gateway/gateway.ts'
import { startSocketGateway } from './gateway/socket-gateway.ts'
import type { LocalParts } from './local-parts.ts'
import { startEventSourceMapping } from './queue/event-source-mapping.ts'
import { startSchedule } from './schedule.ts'
import type { LocalService } from './service-plan.ts'
import { type StackFacts, stackFacts } from './stack-facts.ts'
import { keep, type StackHost } from './stack-host.ts'

/** Starts what calls the functions. What they do at a stop still finds all that they depend on. */
export async function serve(service: LocalService, parts: LocalParts, host: StackHost): Promise<StackFacts> {
  const { onStop } = host
  for (const mapping of service.mappings) {
    onStop(() => mapping.client.destroy())
    onStop(startEventSourceMapping({ ...mapping, onFailure }).stop)
  }
  for (const schedule of service.schedules) onStop(startSchedule({ ...schedule, onFailure }).stop)
  await parts.releaseSocketPort()
  const gateway = await startSocketGateway({ ...service.sockets, port: parts.socketPort, onFailure })
  keep(host, 'The WebSocket gateway', gateway)
  const { routes, fallback, cors } = service
  const http = await startGateway({ routes, fallback, cors, port: parts.port, onFailure })
  onStop(http.stop)
  const facts = stackFacts(parts, http.url, gateway.url)
  return service.hasExplorer ? { ...facts, explorer_url: `${http.url}/explorer` } : facts
}

const onFailure = (name: string, error: unknown) => console.error(`functions/${name}.ts failed:`, error)
