import { setImmediate } from 'node:timers/promises'
import { beginLog, logSettings } from '../../../lib/telemetry/log.ts'
import { type RecordedLog, recordStreams } from './recorded-streams.ts'

// Otherwise lines are written as soon as the logger is loaded, which may be when a test is over.
beginLog(logSettings())
await import('../../../lib/telemetry/powertools.ts')
await setImmediate()

/** Records what the service writes to its log, in place of stdout and stderr, until it is restored. */
export const recordLog = (): RecordedLog => recordStreams()
