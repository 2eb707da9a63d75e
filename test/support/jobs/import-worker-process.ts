import { loadConfig } from '../../../lib/config.ts'
import { createWorkerService, reportWorker } from '../../../lib/index.ts'
import { importRegistry } from '../fixtures/imported-orders.ts'

// A worker in a process of its own, which a test can kill: it reads the imports of the event in its first argument.
const workers = createWorkerService(loadConfig())
await reportWorker(importRegistry, () => workers)(JSON.parse(process.argv[2] ?? ''))
process.exit(0)
