import { queryTable, tableEndpoint } from '#lib'
import { startGateway } from '../../../infra/local/gateway/gateway.ts'
import { loadFunctions } from '../../../infra/local/lambda/functions.ts'
import { loadConfig } from '../../../lib/config.ts'
import { corsPolicy } from '../../../lib/http/cors.ts'
import { benchRegistry } from '../bench-registry.ts'

// The local stack's gateway and functions in a process of their own; the environment is given by who started it.
const config = loadConfig()
const functions = await loadFunctions({ guards: config.GUARDS, cold: undefined })
// Pages are those of the table that is measured; other functions are the installation's own.
const handler = tableEndpoint(benchRegistry, { name: 'queryTableData', run: queryTable })
const routes = new Map(
  [...functions.routes].map(([key, route]) => [key, route.name === 'query-table' ? { ...route, handler } : route]),
)
const gateway = await startGateway({ ...functions, routes, cors: corsPolicy(config) })
process.on('disconnect', () => process.exit())
process.send?.(gateway.port)
