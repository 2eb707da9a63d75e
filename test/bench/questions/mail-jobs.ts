import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import postgres, { type Sql } from 'postgres'
import { accountVariables, localCredentials } from '../../../infra/local/local-account.ts'
import { type Mail, startMail } from '../../../infra/local/mail/mail.ts'
import { type QueueAndStorage, startQueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'
import { loadConfig } from '../../../lib/config.ts'
import { createDatabase } from '../../../lib/db/database.ts'
import { createJob } from '../../../lib/jobs/create-job.ts'
import { createRandom } from '../../faults/random.ts'
import { atMost, type Bench, type Figure, type Question } from '../figure.ts'
import { environment, publicUrl } from '../installation.ts'
import { startProcess } from '../process.ts'

const count = 500
const workers = 2
const maxDeliveries = 5
const rowsOfReport = 20

function workerEnvironment(bench: Bench, { endpoint, queueUrl, bucket }: QueueAndStorage, mail: Mail) {
  return {
    ...environment(bench, 1),
    QUEUE_URL: queueUrl,
    REPORT_BUCKET: bucket,
    STORAGE_PATH_STYLE: 'on',
    MAIL_SENDER: 'reports@example.com',
    ...accountVariables,
    AWS_ENDPOINT_URL_SQS: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ENDPOINT_URL_SES: mail.endpoint,
  }
}

const createReport = (place: number) => ({
  identity: { subject: 'bench', claims: { role: 'supervisor', states: [] }, email: `reader-${place}@example.com` },
  ...({ guard: 'api', language: place % 2 === 0 ? 'en' : 'ar', kind: 'report', response: 'email' } as const),
  tableName: 'bird_strikes',
  action: 'email_report',
  requestId: 'bench',
  baseUrl: publicUrl,
  body: { selected_ids: Array.from({ length: rowsOfReport }, (_, index) => index + 1) },
  recipients: [`reader-${place}@example.com`],
})

async function writeJobs(env: ReturnType<typeof workerEnvironment>): Promise<readonly string[]> {
  const database = createDatabase(loadConfig(env))
  try {
    return await database.transaction(async ({ run }) => {
      const ids: string[] = []
      for (let place = 0; place < count; place++) ids.push(await createJob(run, createReport(place), count + 1))
      return ids
    })
  } finally {
    await database.close()
  }
}

/** Each one to five times, in any order; the same in each run. */
function shuffleDeliveries(ids: readonly string[]): readonly string[] {
  const random = createRandom(1)
  return random.shuffle(ids.flatMap((id) => Array.from({ length: random.int(1, maxDeliveries) }, () => id)))
}

async function send({ endpoint, queueUrl }: QueueAndStorage, ids: readonly string[]): Promise<void> {
  const client = new SQSClient({ endpoint, ...localCredentials })
  for (let start = 0; start < ids.length; start += 10) {
    const Entries = ids
      .slice(start, start + 10)
      .map((job, index) => ({ Id: String(index), MessageBody: JSON.stringify({ v: 1, job }) }))
    await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }))
  }
  client.destroy()
}

async function untilDone(sql: Sql, ids: readonly string[]): Promise<number> {
  const began = performance.now()
  for (;;) {
    const [row] = await sql`select count(*)::int as n from table_control.jobs
      where id = any(${ids}::uuid[]) and state in ('queued', 'running')`
    if (row?.['n'] === 0) return performance.now() - began
    if (performance.now() - began > 600_000) throw new Error(`${row?.['n']} jobs were not done`)
    await sleep(50)
  }
}

function toFigures(mail: Mail, ids: readonly string[], deliveries: number, milliseconds: number): readonly Figure[] {
  const servedJobs = mail.envelopes().map(({ tags }) => tags['job_id'] ?? '')
  const served = ids.filter((id) => servedJobs.includes(id)).length
  return [
    { name: 'messages delivered', measured: `${deliveries} for ${count} jobs` },
    { name: 'jobs whose mail was sent', measured: `${served}`, target: `${count}`, met: served === count },
    atMost('mails beyond one for each job', servedJobs.length - served, 0, `${servedJobs.length - served}`),
    { name: 'rate', measured: `${((count / milliseconds) * 1_000).toFixed(0)} jobs/s` },
  ]
}

/** Whether a queue that repeats itself makes anybody get a report twice. */
export const mailJobs: Question = {
  id: 'mail-jobs',
  asks: 'Does each of 500 reports by e-mail reach its reader once, even if the queue repeats messages?',
  method: `${count} jobs, each a workbook of ${rowsOfReport} rows for one reader; every message is in the queue one to ${maxDeliveries} times, in random order; ${workers} worker processes with one connection for each of their databases take batches of ten. The local SQS and SES run in the process that measures.`,
  measure: async (bench) => {
    const [queue, mail] = await Promise.all([startQueueAndStorage(), startMail()])
    const sql = postgres(bench.databaseUrl, { max: 1 })
    const env = workerEnvironment(bench, queue, mail)
    const ids = await writeJobs(env)
    const deliveries = shuffleDeliveries(ids)
    await send(queue, deliveries)
    bench.report(`${deliveries.length} messages`)
    const processes = Array.from({ length: workers }, () => startProcess('mail-worker', [], env))
    try {
      const milliseconds = await untilDone(sql, ids)
      // The messages that are still in the queue must have no effect.
      await sleep(2_000)
      return toFigures(mail, ids, deliveries.length, milliseconds)
    } finally {
      for (const worker of processes) worker.disconnect()
      await sql`delete from table_control.jobs where id = any(${ids}::uuid[])`
      await Promise.all([sql.end(), queue.stop(), mail.stop()])
    }
  },
}
