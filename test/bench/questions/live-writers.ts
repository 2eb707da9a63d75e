import postgres, { type Sql } from 'postgres'
import { createWorkerService, reportWorker } from '#lib'
import { createDatabase } from '../../../infra/local/database/database.ts'
import { accountVariables } from '../../../infra/local/local-account.ts'
import { queueEvent } from '../../../infra/local/queue/queue-event.ts'
import { loadConfig } from '../../../lib/config.ts'
import type { Bench, Figure, Question } from '../figure.ts'
import { environment, type Installation } from '../installation.ts'
import { createParcels, liveRegistry } from '../live/parcels.ts'
import { nextMessage, startProcess } from '../process.ts'
import { interleave, measure, median, ratio, type Samples } from '../rounds.ts'

const rounds = 15
const statementsOfRound = 300
const rowsOfBulk = 3_000
const polls = 400

const tables = ['bare', 'unwatched', 'watched'] as const
type Written = (typeof tables)[number]

async function createTables(sql: Sql): Promise<void> {
  for (const name of tables)
    await sql.unsafe(`create table ${name} (id integer primary key, moves integer not null, note text);
      insert into ${name} select n, 0, 'row ' || n from generate_series(1, 20000) n;`)
  for (const name of ['unwatched', 'watched'])
    await sql.unsafe(`create trigger live after insert or update or delete or truncate on ${name}
      for each statement execute function table_control.record_row_change('${name}')`)
  await sql`insert into table_control.sockets (connection_id, subject, expires_at)
    values ('bench', 'bench', now() + interval '1 day')`
  for (const name of ['watched', 'parcels'])
    await sql`insert into table_control.subscriptions
      (connection_id, id, table_name, identity, guard, language, base_url, query, expires_at)
      values ('bench', ${name}, ${name}, '{}', 'api', 'en', '', '', now() + interval '1 day')`
}

type Write = (sql: Sql, table: Written) => Promise<unknown>

let nextId = 1_000_000

const writes: Readonly<Record<string, Write>> = {
  [`${statementsOfRound} inserts of a row`]: async (sql, table) => {
    for (let one = 0; one < statementsOfRound; one++)
      await sql`insert into ${sql(table)} values (${nextId++}, 0, 'new')`
  },
  [`${statementsOfRound} updates of a row`]: async (sql, table) => {
    for (let one = 0; one < statementsOfRound; one++)
      await sql`update ${sql(table)} set moves = moves + 1 where id = ${one + 1}`
  },
  [`one transaction of ${statementsOfRound} updates`]: (sql, table) =>
    sql.begin(async (transaction) => {
      for (let one = 0; one < statementsOfRound; one++)
        await transaction`update ${transaction(table)} set moves = moves + 1 where id = ${one + 1}`
    }),
  [`one update of ${rowsOfBulk.toLocaleString('en')} rows`]: (sql, table) =>
    sql`update ${sql(table)} set moves = moves + 1 where id <= ${rowsOfBulk}`,
}

/** Measures a write on each table in turn. The changes that it stores are removed between, as a poll does. */
function compareTables(sql: Sql, write: Write): Promise<Samples<Written, number>> {
  const timeWrite = (table: Written) => async () => {
    const ms = await measure(() => write(sql, table))
    await sql`delete from table_control.row_events`
    await sql.unsafe(`vacuum ${table}, table_control.row_events`)
    return ms
  }
  return interleave(rounds, {
    bare: timeWrite('bare'),
    unwatched: timeWrite('unwatched'),
    watched: timeWrite('watched'),
  })
}

async function askWriters({ databaseUrl, jwksUrl, report }: Bench): Promise<readonly Figure[]> {
  const name = 'live_writers'
  await createDatabase(databaseUrl, name)
  const url = Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href
  await createParcels(url)
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await createTables(sql)
    const figures: Figure[] = []
    for (const [written, write] of Object.entries(writes)) {
      report(written)
      const { bare, unwatched, watched } = await compareTables(sql, write)
      figures.push({
        name: written,
        measured: `unwatched ${ratio(unwatched, bare).toFixed(2)} x, watched ${ratio(watched, bare).toFixed(2)} x (without the trigger ${median(bare).toFixed(1)} ms)`,
      })
    }
    report(`${polls} polls`)
    return [...figures, await measurePolls({ databaseUrl: url, jwksUrl }, sql)]
  } finally {
    await sql.end()
    const admin = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
    await admin`drop database ${admin(name)} with (force)`
    await admin.end()
  }
}

/** Measures the processor time of the worker for a poll that finds no change. */
async function measurePolls(installation: Installation, sql: Sql): Promise<Figure> {
  Object.assign(process.env, accountVariables)
  const queue = startProcess('live-queue', [], accountVariables)
  const { endpoint, queueUrl } = await nextMessage<{ endpoint: string; queueUrl: string }>(queue)
  process.env['AWS_ENDPOINT_URL_SQS'] = endpoint
  const service = createWorkerService(
    loadConfig({ ...environment(installation, 2), QUEUE_URL: queueUrl, SOCKET_ENDPOINT: endpoint }),
  )
  const worker = reportWorker(liveRegistry, () => service)
  await sql`insert into table_control.row_polls (table_name, due_at) values ('parcels', now())`
  let number = 1
  const poll = async () => {
    const Body = JSON.stringify({ v: 1, watched: 'parcels', poll: number++ })
    const Attributes = { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()) }
    await worker(queueEvent(queueUrl, [{ MessageId: 'poll', ReceiptHandle: 'poll', Body, Attributes }]))
  }
  for (let one = 0; one < polls / 4; one++) await poll()
  const before = process.cpuUsage()
  const ms = await measure(async () => {
    for (let one = 0; one < polls; one++) await poll()
  })
  const { user, system } = process.cpuUsage(before)
  const [row] = await sql`select number from table_control.row_polls`
  if (row?.['number'] !== number) throw new Error(`poll ${number} has become ${row?.['number']}`)
  await Promise.all([service.database.close(), service.work.close()])
  queue.disconnect()
  return {
    name: 'a poll without a change',
    measured: `${((user + system) / 1_000 / polls).toFixed(2)} ms of processor time, ${(ms / polls).toFixed(2)} ms in all`,
  }
}

/** The cost of the trigger of a live table for those who write to it, and of the poll. */
export const liveWriters: Question = {
  id: 'live-writers',
  asks: 'What does the trigger of a live table cost other programs, and what does its poll?',
  method: `One connection, ${rounds} rounds in turn on a table without a trigger, one with it that no page watches, and one that is watched; medians of the rounds' ratios. Stored changes are removed after each round. A poll is one message of the queue for a watched table without a change, from a process of its own.`,
  measure: askWriters,
}
