import { sweep } from '#lib'

/** Each minute: finds jobs without a worker, and removes what has expired. */
export const handler = sweep()
