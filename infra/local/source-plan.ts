import { SQSClient } from '@aws-sdk/client-sqs'
import { loadConfig } from '../../lib/config.ts'
import { corsPolicy } from '../../lib/http/cors.ts'
import { authorizeAll } from './authorize.ts'
import { readDriftAdvice } from './database/database.ts'
import { localConcurrency } from './lambda/concurrency-limit.ts'
import { functionEnvironment } from './lambda/function-environment.ts'
import { loadFunctions } from './lambda/functions.ts'
import { reloadOnSave } from './lambda/reloaded-modules.ts'
import { sourceBucket, sourceQueues } from './queue/queue-definition.ts'
import type { ServicePlan } from './service-plan.ts'
import type { StartOptions } from './start-options.ts'

/** The service as its sources are: functions/, lib/routes.ts and the settings of this process. */
export const sourcePlan = ({
  cold,
  concurrency,
  visibilitySeconds,
  batchSize,
  sweepSeconds,
}: StartOptions): ServicePlan => ({
  queues: sourceQueues(visibilitySeconds),
  buckets: [sourceBucket],
  authorize: authorizeAll,
  load: async (parts) => {
    Object.assign(process.env, functionEnvironment(parts))
    const config = loadConfig()
    const ending = new AbortController()
    const { routes, fallback, sockets, worker, sweep } = await loadFunctions({
      guards: config.GUARDS,
      cold: cold ? ending.signal : undefined,
      concurrency: concurrency ?? localConcurrency,
    })
    const readAdvice = () => readDriftAdvice(parts.ownerUrl)
    const endWatch = cold ? () => {} : reloadOnSave({ report: console.log, readAdvice })
    const queueUrl = config.QUEUE_URL ?? parts.queue.queueUrl
    const client = new SQSClient({})
    return {
      routes,
      fallback,
      cors: corsPolicy(config),
      hasExplorer: config.EXPLORER === 'on',
      sockets: { routes: sockets },
      mappings: [{ client, queueUrl, target: worker, batchSize: batchSize ?? 10 }],
      schedules: [{ target: sweep, everyMs: (sweepSeconds ?? 60) * 1_000 }],
      stop: () => {
        endWatch()
        ending.abort()
      },
    }
  },
})
