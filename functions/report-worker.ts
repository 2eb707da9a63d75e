import { reportWorker } from '#lib'
import { registry } from '#tables'

/** The queue's messages: works on the jobs that they name. */
export const handler = reportWorker(registry)
