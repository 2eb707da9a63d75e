import { SQSClient } from '@aws-sdk/client-sqs'
import type { Config } from '../../lib/config.ts'
import { corsPolicy } from '../../lib/http/cors.ts'
import { startEventSourceMapping } from './event-source-mapping.ts'
import type { LocalParts } from './function-environment.ts'
import type { LoadedFunctions } from './functions.ts'
import { startGateway } from './gateway.ts'
import { startSchedule } from './schedule.ts'
import { startSocketGateway } from './socket-gateway.ts'
import { type StackFacts, stackFacts } from './stack-facts.ts'
import { keep, type StackHost } from './stack-host.ts'
import type { StartOptions } from './start-options.ts'

export interface Serving {
  readonly parts: LocalParts
  readonly config: Config
  readonly options: StartOptions
  readonly host: StackHost
}

/** Starts what calls the functions. What they do at a stop still finds all that they depend on. */
export async function serve(
  functions: LoadedFunctions,
  { parts, config, options, host }: Serving,
): Promise<StackFacts> {
  const { sockets, worker, sweep } = functions
  const { onStop } = host
  const client = new SQSClient({})
  onStop(() => client.destroy())
  const queueUrl = process.env['QUEUE_URL'] ?? parts.queue.queueUrl
  const mapping = startEventSourceMapping({ client, queueUrl, target: worker, batchSize: options.batchSize, onFailure })
  onStop(mapping.stop)
  onStop(startSchedule({ target: sweep, everyMs: options.sweepSeconds * 1_000, onFailure }).stop)
  const gateway = await startSocketGateway({ routes: sockets, port: parts.socketPort, onFailure })
  keep(host, 'The WebSocket gateway', gateway)
  const http = await startGateway({ ...functions, cors: corsPolicy(config), port: options.port, onFailure })
  onStop(http.stop)
  return stackFacts(parts, http.url, gateway.url)
}

const onFailure = (name: string, error: unknown) => console.error(`functions/${name}.ts failed:`, error)
