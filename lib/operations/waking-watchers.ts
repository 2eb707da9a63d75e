import { wakeWatchers } from '../jobs/queue.ts'
import type { Operation } from './table-request.ts'

/** Has the watchers of changed rows told right after the commit of an action. Without it they are told by the sweep. */
export const wakingWatchers =
  (run: Operation): Operation =>
  (request) =>
    run({ ...request, wakeWatchers: () => wakeWatchers(request.config, request.table.name) })
