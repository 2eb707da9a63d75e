import { callerEndpoint, jobStatus } from '#lib'
import { registry } from '#tables'

/** GET jobs/{jobId}: how far a job of the caller is, and its result. */
export const handler = callerEndpoint(registry, { name: 'jobStatus', run: jobStatus })
