import { afterAll, expect } from 'vitest'
import type { Fault } from '../../infra/local/faults.ts'
import { push } from '../../lib/push/push.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { startPushInstallation } from '../support/sockets/push-installation.ts'
import { fault } from './fault.ts'

const installation = await startPushInstallation()
const { connect, gateway, service, sql } = installation
recordLog()
afterAll(() => installation.stop())

const failures: readonly Fault[] = [
  { code: 'LimitExceededException', status: 429, times: 2 },
  { code: 'LimitExceededException', status: 429, times: 100 },
  { code: 'InternalServerException', status: 500, times: 2 },
  { code: 'PayloadTooLargeException', status: 413, times: 100 },
  { kind: 'reset', times: 2 },
  { kind: 'hang', times: 100 },
]

fault('F20', 'half of the sockets are gone, throttled, too narrow, or hang', async (random) => {
  const subject = `f20-${random.int(1, 1_000_000_000)}`
  const clients = await Promise.all(Array.from({ length: random.int(1, 8) }, () => connect({ sub: subject })))
  const gone = random.int(0, 100)
  await sql`insert into table_control.sockets (connection_id, subject, connected_at, expires_at)
    select ${`${subject}-`} || n, ${subject}, now() - interval '1 minute', now() + interval '1 hour'
    from generate_series(1, ${gone}::integer) n`
  const known = await sql`select connection_id from table_control.sockets
    where subject = ${subject} and connection_id not like ${`${subject}-%`}`
  const harmed = random.chance(0.7) ? random.pick(known)['connection_id'] : undefined
  if (harmed !== undefined) gateway.faults.add({ ...random.pick(failures), connection: harmed })
  const report = await push(service, subject, { event: 'test', channel: 'test', id: 'x', seq: 1, data: {} })
  gateway.faults.clear()
  expect(report.delivered + report.failed).toBeGreaterThanOrEqual(clients.length)
  expect(report.delivered).toBeGreaterThanOrEqual(clients.length - 1)
  const stored = await sql`select from table_control.sockets where subject = ${subject}`
  expect(stored.length).toBe(clients.length + gone - report.gone)
  expect(clients.filter(({ messages }) => messages.length > 1)).toEqual([])
  await Promise.all(clients.map((client) => client.close()))
})
