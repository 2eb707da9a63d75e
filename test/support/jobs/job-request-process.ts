import { loadConfig } from '../../../lib/config.ts'
import { bulkTableAction, createService, tableEndpoint } from '../../../lib/index.ts'
import { jobRegistry } from './job-tables.ts'

// A function in a process of its own, which a test can kill: it answers the event in its first argument.
const service = createService(loadConfig())
const handler = tableEndpoint(jobRegistry, { name: 'bulkTableAction', run: bulkTableAction }, () => service)
await handler(JSON.parse(process.argv[2] ?? ''))
process.exit(0)
