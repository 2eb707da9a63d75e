import type { CorsPolicy } from '../../lib/http/cors.ts'
import type { Authorize } from './authorize.ts'
import type { SocketGatewayOptions } from './gateway/socket-gateway.ts'
import type { LocalFunction } from './lambda/local-function.ts'
import type { LocalParts } from './local-parts.ts'
import type { EventSourceMappingOptions } from './queue/event-source-mapping.ts'
import type { QueueDefinition } from './queue/queue-definition.ts'
import type { ScheduleOptions } from './schedule.ts'

/**
 * The service as data, whether it comes from the sources or from a template: what it depends on, and how to load it.
 */
export interface ServicePlan {
  readonly queues: readonly QueueDefinition[]
  readonly buckets: readonly string[]
  readonly authorize: Authorize
  /** Loads the functions, when all that they depend on is there. */
  readonly load: (parts: LocalParts) => Promise<LocalService>
}

/** The functions to serve and their triggers. */
export interface LocalService {
  readonly routes: ReadonlyMap<string, LocalFunction>
  /** Behind `$default`. */
  readonly fallback: LocalFunction | undefined
  readonly cors: CorsPolicy | undefined
  /** Its route is always there; a stage without the page answers 404. */
  readonly hasExplorer: boolean
  readonly sockets: Pick<SocketGatewayOptions, 'routes' | 'stage' | 'apiId' | 'authorize'>
  readonly mappings: readonly EventSourceMappingOptions[]
  readonly schedules: readonly ScheduleOptions[]
  /** Ends the functions; comes after all that calls them. */
  readonly stop: () => Promise<void> | void
}
