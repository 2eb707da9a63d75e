import { removeExpired, removeExpiredFiles } from '../jobs/sweep-expired.ts'
import { failOverdueJobs, type SweepService, sendLostJobs } from '../jobs/sweep-queue.ts'
import { logFailure } from './log.ts'
import { processService } from './service.ts'

/** Called by the clock; what it is given does not matter. */
export type ScheduleHandler = (event?: unknown, context?: { readonly awsRequestId: string }) => Promise<void>

const steps: readonly ((service: SweepService) => Promise<number>)[] = [
  sendLostJobs,
  failOverdueJobs,
  removeExpiredFiles,
  ({ database }) => removeExpired(database),
]

/**
 * The Lambda handler that runs each minute: finds jobs that nobody works on and removes what has expired. Running twice at
 * once is harmless. A step that fails does not keep the others from being done.
 */
export const sweep =
  (service: () => SweepService = processService): ScheduleHandler =>
  async (_event, lambda) => {
    const failures: unknown[] = []
    for (const step of steps) {
      try {
        await step(service())
      } catch (error) {
        logFailure(error, { requestId: lambda?.awsRequestId ?? '', route: 'sweep' })
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'The sweep was not complete')
  }
