import { queryTable, tableEndpoint } from '#lib'
import { startGateway } from '../../../infra/local/gateway/gateway.ts'
import { limitFunction } from '../../../infra/local/lambda/concurrency-limit.ts'
import { loadFunctions } from '../../../infra/local/lambda/functions.ts'
import { loadConfig } from '../../../lib/config.ts'
import { corsPolicy } from '../../../lib/http/cors.ts'
import { benchRegistry } from '../bench-registry.ts'

// The local stack's gateway and functions in a process of their own, with the environment of the process that starts
// it. `limited` bounds the number of simultaneous requests.
const config = loadConfig()
/** Half as many again as the connections to the database: with more, each waits longer and no more are answered. */
const concurrency = process.argv.includes('limited') ? 12 : Number.POSITIVE_INFINITY
const functions = await loadFunctions({ guards: config.GUARDS, cold: undefined, concurrency })
// Pages are those of the table that is measured; other functions are the installation's own.
const handler = tableEndpoint(benchRegistry, { name: 'queryTableData', run: queryTable })
const measured = limitFunction({ name: 'query-table', handler }, concurrency)
const routes = new Map(
  [...functions.routes].map(([key, route]) => [key, route.name === measured.name ? measured : route]),
)
const gateway = await startGateway({ ...functions, routes, cors: corsPolicy(config) })
process.on('disconnect', () => process.exit())
process.send?.(gateway.port)
