import { loadConfig } from '../../../lib/config.ts'
import { createWorkerService, reportWorker } from '../../../lib/index.ts'
import { jobRegistry } from './job-tables.ts'

// A worker in a process of its own, which a test can kill: it works on the jobs of the event in its first argument.
const workers = createWorkerService(loadConfig())
const result = await reportWorker(jobRegistry, () => workers)(JSON.parse(process.argv[2] ?? ''))
process.stdout.write(JSON.stringify(result))
process.exit(0)
