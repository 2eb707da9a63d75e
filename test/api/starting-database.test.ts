import { createServer } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { loadConfig } from '../../lib/config.ts'
import { createWorkerService, reportWorker } from '../../lib/index.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { startJobInstallation } from '../support/jobs/job-installation.ts'
import { jobRegistry } from '../support/jobs/job-tables.ts'
import { jobRow } from '../support/jobs/queued-jobs.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { bindPort } from '../support/network/bind-port.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'

const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up', '', ''].join('\0')
const refusal = Buffer.from(`E\0\0\0${String.fromCharCode(4 + fields.length)}${fields}`, 'latin1')

let onRefusal = (): void => undefined
/** Refuses each log-in, as a Postgres does that reads its log after a crash. */
const starting = createServer((socket) => {
  socket
    .on('error', () => undefined)
    .once('data', () => {
      onRefusal()
      socket.end(refusal)
    })
})
const startingUrl = `postgres://127.0.0.1:${await bindPort(starting)}`
const log = recordLog()
const api = await startWorkApi()
const jobs = await startJobInstallation()
const [ofApi, ofJobs] = await Promise.all([proxyTo(api.databaseUrl), proxyTo(String(jobs.environment['DATABASE_URL']))])
afterAll(async () => {
  await jobs.stop()
  await Promise.all([ofApi.close(), ofJobs.close()])
  starting.close()
})

/** Stands before a database, in place of which connections reach one that starts, from `begin` to `end`. */
async function proxyTo(target: string) {
  const { moveTo, url, close } = await startTcpProxy({ target })
  return { url, close, begin: () => moveTo(startingUrl), end: () => moveTo(target) }
}

it('answers 503 while the database starts, and works once it has started', async () => {
  const service = api.variant({ DATABASE_URL: ofApi.url() })
  ofApi.begin()
  for (const path of ['query-table/orders', 'row-table-action/orders/count/1']) {
    const { status, json, headers } = await service.post(path)
    expect([status, json.code, Number(headers['retry-after']) > 0]).toEqual([503, 'unavailable', true])
  }
  const codes = log.take().match(/(?<="code":")\w+/g)
  expect(codes, 'what the server said is logged too').toEqual(expect.arrayContaining(['CONNECT_FAILED', '57P03']))
  ofApi.end()
  await expect.poll(async () => (await service.post('query-table/orders')).status).toBe(200)
  expect(await api.runs(1)).toEqual([0])
})

it('repeats a request that meets the end of the start, and runs its action once', async () => {
  const service = api.variant({ DATABASE_URL: ofApi.url() })
  ofApi.begin()
  onRefusal = ofApi.end
  expect((await service.post('row-table-action/orders/count/2')).status).toBe(200)
  expect(await api.runs(2)).toEqual([1])
})

it('leaves a job in the queue while the database starts, and runs it once after that', async () => {
  const id = await jobs.ask('parcels/mail_report', { filters: [{ field: 'depot', operator: '=', value: 'small' }] })
  const workers = createWorkerService(loadConfig({ ...jobs.environment, DATABASE_URL: ofJobs.url() }))
  const worker = reportWorker(jobRegistry, () => workers)
  const event = jobs.createEvent([id])
  const work = () => worker(event, { getRemainingTimeInMillis: () => 900_000 })
  ofJobs.begin()
  expect(await work()).toEqual({ batchItemFailures: [{ itemIdentifier: event.Records[0]?.messageId }] })
  expect(await jobRow(jobs.sql, id)).toMatchObject({ state: 'queued', attempts: 0 })
  ofJobs.end()
  expect(await work()).toEqual({ batchItemFailures: [] })
  expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
  expect(jobs.mail.envelopes()).toHaveLength(1)
  await Promise.all([workers.database.close(), workers.work.close()])
})
