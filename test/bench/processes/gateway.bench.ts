import { startGateway } from '../../../infra/local/gateway/gateway.ts'
import { loadFunctions } from '../../../infra/local/lambda/functions.ts'
import { loadConfig } from '../../../lib/config.ts'
import { corsPolicy } from '../../../lib/http/cors.ts'

// The local stack's gateway and functions in a process of their own; the environment is given by who started it.
const config = loadConfig()
const functions = await loadFunctions({ guards: config.GUARDS, cold: undefined })
const gateway = await startGateway({ ...functions, cors: corsPolicy(config) })
process.on('disconnect', () => process.exit())
process.send?.(gateway.port)
