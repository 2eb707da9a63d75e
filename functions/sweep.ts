import { sweep } from '#lib'

/** Each minute: finds jobs that nobody works on, and removes what has expired. */
export const handler = sweep()
