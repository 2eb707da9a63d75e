import './quicken-worker.ts'
import { afterEach } from 'vitest'
import { takeLog } from './captured-log.ts'
import { restoreEnvironment } from './first-environment.ts'

// The processes that a file starts inherit no servers of the file before, which have stopped.
restoreEnvironment()

// A test that passes is quiet; what the service logged belongs to a failure.
afterEach(({ task }) => {
  const log = takeLog()
  if (task.result?.state === 'fail' && log !== '') process.stderr.write(`The service logged:\n${log}`)
})
