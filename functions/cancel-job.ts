import { callerEndpoint, cancelJob } from '#lib'
import { registry } from '#tables'

/** POST jobs/{jobId}/cancel: stops a job of the caller. */
export const handler = callerEndpoint(registry, { name: 'cancelJob', run: cancelJob })
