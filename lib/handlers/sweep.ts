import { processService } from '../http/service.ts'
import type { JobService } from '../jobs/job.ts'
import { removeExpired, removeExpiredFiles } from '../jobs/sweep-expired.ts'
import { enqueueFailureMails, enqueueLostJobs, failOverdueJobs, wakeOverdueWatchers } from '../jobs/sweep-jobs.ts'
import { closeExpiredSockets } from '../push/sockets.ts'
import { beginInvocation, type Count, count } from '../telemetry/invocation.ts'
import { beginLog, flushLog } from '../telemetry/log.ts'
import { logFailure } from '../telemetry/log-failure.ts'
import { logWork } from '../telemetry/log-invocation.ts'

/** Called by the clock; what it is given does not matter. */
export type ScheduleHandler = (event?: unknown, context?: { readonly awsRequestId: string }) => Promise<void>

const steps: readonly (readonly [Count, (service: JobService) => Promise<number>])[] = [
  ['JobsResent', enqueueLostJobs],
  ['JobsOverdue', failOverdueJobs],
  ['FailureMailsResent', enqueueFailureMails],
  ['FilesRemoved', removeExpiredFiles],
  ['SocketsClosed', closeExpiredSockets],
  ['WatchersWoken', wakeOverdueWatchers],
  ['RowsRemoved', removeExpired],
]

/**
 * The Lambda handler that runs each minute: finds jobs that no worker works on and removes what has expired. Running twice at
 * once is harmless. A step that fails does not keep the others from being done.
 */
export const sweep =
  (service: () => JobService = processService): ScheduleHandler =>
  async (_event, lambda) => {
    const requestId = lambda?.awsRequestId ?? ''
    const invocation = beginInvocation('sweep', requestId)
    const failures: unknown[] = []
    for (const [what, step] of steps) {
      try {
        const running = service()
        beginLog(running.config)
        count(invocation, what, await step({ ...running, invocation }))
      } catch (error) {
        logFailure(error, { requestId, route: 'sweep' })
        failures.push(error)
      }
    }
    if (failures.length === 0) count(invocation, 'Sweeps')
    logWork(invocation)
    await flushLog()
    if (failures.length > 0) throw new AggregateError(failures, 'The sweep was not complete')
  }
