import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { GetQueueAttributesCommand, PurgeQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { localCredentials } from '../../../infra/local/local-account.ts'
import { sweep } from '../../../lib/index.ts'
import { removeExpired } from '../../../lib/jobs/sweep-expired.ts'
import { startJobInstallation } from '../../support/jobs/job-installation.ts'
import { queuedMessages } from '../../support/jobs/queued-jobs.ts'

const jobs = await startJobInstallation()
const sqs = new SQSClient({ endpoint: jobs.queue.endpoint, ...localCredentials })
const s3 = new S3Client({ endpoint: jobs.queue.endpoint, forcePathStyle: true, ...localCredentials })
afterAll(async () => {
  sqs.destroy()
  s3.destroy()
  await jobs.stop()
})

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }

beforeEach(async () => {
  await jobs.sql`delete from table_control.jobs`
  jobs.queue.faults.clear()
  await receive()
})

/** The bodies of all messages in the queue, which are gone afterwards. */
async function receive(): Promise<readonly (string | undefined)[]> {
  const QueueUrl = jobs.queue.queueUrl
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))
  await sqs.send(new PurgeQueueCommand({ QueueUrl }))
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] })
  expect((await sqs.send(asked)).Attributes).toEqual({ ApproximateNumberOfMessages: '0' })
  return Messages.map(({ Body }) => JSON.parse(Body ?? '').job)
}

const rethrow = (error: unknown) => {
  throw error
}

/** Makes the service's change of some rows of a table fail until the result is disposed of. */
async function breakChange(table: string, change: 'delete' | 'update', condition: string): Promise<AsyncDisposable> {
  await jobs.sql.unsafe(`create function break_change() returns trigger language plpgsql as
      $$ begin raise exception 'broken'; end $$;
    create trigger break_change before ${change} on table_control.${table} for each row when (${condition})
      execute function break_change()`)
  return { [Symbol.asyncDispose]: async () => void (await jobs.sql`drop function break_change cascade`) }
}

const age = (id: string, columns: string) =>
  jobs.sql.unsafe(`update table_control.jobs set ${columns} where id = $1`, [id])

describe('a job whose message was lost', () => {
  it.each([
    ['was never sent', "enqueued_at = null, created_at = now() - interval '1 minute'"],
    ['was sent minutes ago', "enqueued_at = now() - interval '3 minutes'"],
    [
      'named a job whose worker has died',
      "state = 'running', lease_until = now() - interval '1 second', enqueued_at = now() - interval '3 minutes'",
    ],
    [
      'had to wait, and the wait is over',
      "enqueued_at = now() - interval '1 hour', not_before = now() - interval '3 minutes'",
    ],
  ])('is sent again where it %s, and once', async (_why, columns) => {
    const id = await jobs.ask('parcels/mail_report', small)
    await receive()
    await age(id, columns)
    await Promise.all([jobs.sweep(), jobs.sweep()])
    await jobs.sweep()
    expect(await receive()).toEqual([id])
    await jobs.later(id)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
  })

  it.each([
    ['was sent just now', 'enqueued_at = now()'],
    [
      'has a worker whose lease has not ended',
      "state = 'running', lease_until = now() + interval '30 seconds', enqueued_at = null",
    ],
    ['must wait', "enqueued_at = now() - interval '1 hour', not_before = now() + interval '1 minute'"],
    ['is being sent', 'enqueued_at = null'],
    ['is over', "state = 'succeeded', enqueued_at = null, created_at = now() - interval '1 hour'"],
  ])('is left alone where it %s', async (_why, columns) => {
    const id = await jobs.ask('parcels/mail_report', small)
    await receive()
    await age(id, columns)
    await jobs.sweep()
    expect(await receive()).toEqual([])
  })

  it('is sent again with all others that were sent only once, and then with a hundred of them', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await jobs.sql`insert into table_control.jobs
      select (jsonb_populate_record(job, jsonb_build_object('id', gen_random_uuid()))).*
      from table_control.jobs job, generate_series(1, 119)`
    await jobs.sql`update table_control.jobs set created_at = now() - interval '1 hour', enqueued_at = now() - interval '1 hour'`
    await queuedMessages(jobs.queue)
    await jobs.sweep()
    const named = (await queuedMessages(jobs.queue)).map((message) => Reflect.get(Object(message), 'job'))
    expect(named).toContain(id)
    expect(new Set(named).size).toBe(120)
    await jobs.sql`update table_control.jobs set enqueued_at = now() - interval '3 minutes'`
    await jobs.sweep()
    expect(await queuedMessages(jobs.queue)).toHaveLength(100)
  })

  it('is not sent again while a worker has it, and no other worker begins it', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await receive()
    const lease =
      "state = 'running', lease_until = now() + interval '1 hour', enqueued_at = now() - interval '3 minutes'"
    await age(id, lease)
    await jobs.sweep()
    await jobs.work([id])
    expect(await receive()).toEqual([])
    expect(await jobs.job(id)).toMatchObject({ status: 'running' })
  })

  it('fails in words after a day, and its owner is notified once', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await receive()
    await age(id, "created_at = now() - interval '25 hours', enqueued_at = null")
    await Promise.all([jobs.sweep(), jobs.sweep()])
    expect(await receive()).toEqual([])
    expect(await jobs.job(id)).toMatchObject({
      status: 'failed',
      code: 'unavailable',
      recipients: [{ status: 'failed', code: 'unavailable' }],
    })
    const notifications =
      await jobs.sql`select level from table_control.notifications where dedupe_key = ${`job:${id}`}`
    expect(notifications).toMatchObject([{ level: 'danger' }])
  })

  it('fails after a day even if another job, which is older, cannot be ended', async () => {
    const broken = await jobs.ask('parcels/move')
    const id = await jobs.ask('parcels/move')
    await age(broken, "created_at = now() - interval '26 hours'")
    await age(id, "created_at = now() - interval '25 hours'")
    await using _ = await breakChange('jobs', 'update', `new.id = '${broken}' and new.state = 'failed'`)
    await expect(jobs.sweep()).rejects.toThrow('The sweep was not complete')
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'unavailable' })
    expect(await jobs.job(broken)).toMatchObject({ status: 'queued' })
  })

  it('is sent by the next sweep if the queue does not take it, and the rest of the sweep is done', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await receive()
    await age(id, "enqueued_at = now() - interval '3 minutes'")
    await jobs.sql`insert into table_control.sockets values ('old', 'nora', now(), now() - interval '1 second')`
    jobs.queue.faults.add({ action: 'SendMessage', times: 2, status: 500 })
    await expect(jobs.sweep()).rejects.toThrow('The sweep was not complete')
    expect(await jobs.sql`select from table_control.sockets`).toEqual([])
    await age(id, "enqueued_at = now() - interval '3 minutes'")
    await jobs.sweep()
    expect(await receive()).toEqual([id])
  })
})

describe('what has expired', () => {
  it('is removed, and what has not stays', async () => {
    await jobs.sql.unsafe(`
      insert into table_control.idempotency_keys (subject, key, request_hash, created_at)
        values ('nora', 'old', '', now() - interval '25 hours'), ('nora', 'new', '', now());
      insert into table_control.sockets values ('old', 'nora', now(), now() - interval '1 second'),
        ('new', 'nora', now(), now() + interval '1 hour');
      insert into table_control.socket_tickets values ('old', '{}', now() - interval '1 second'),
        ('new', '{}', now() + interval '1 minute');
      insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id, at)
        values ('old', '', '', '', 'row', 0, '', '', now() - interval '401 days'),
          ('new', '', '', '', 'row', 0, '', '', now() - interval '399 days');
      insert into table_control.notifications (subject, title, body, level, data, created_at)
        values ('nora', '{}', '{}', 'info', '{"n": "old"}', now() - interval '91 days'),
          ('nora', '{}', '{}', 'info', '{"n": "new"}', now());
      insert into table_control.caller_usage (subject, kind, full_at, granted)
        values ('idle', 'requests', now() - interval '1 second', false), ('idle', 'mails', now() - interval '1 day', true),
          ('busy', 'requests', now() + interval '1 minute', false);`)
    const old = await jobs.ask('parcels/move')
    const young = await jobs.ask('parcels/move')
    await age(old, "state = 'succeeded', created_at = now() - interval '91 days'")
    await Promise.all([jobs.sweep(), jobs.sweep()])
    expect(await jobs.sql`select key from table_control.idempotency_keys`).toEqual([{ key: 'new' }])
    expect(await jobs.sql`select connection_id as id from table_control.sockets`).toEqual([{ id: 'new' }])
    expect(await jobs.sql`select subject, kind from table_control.caller_usage`).toEqual([
      { subject: 'busy', kind: 'requests' },
    ])
    expect(await jobs.sql`select hash from table_control.socket_tickets`).toEqual([{ hash: 'new' }])
    expect(await jobs.sql`select data from table_control.notifications where title = '{}'`).toEqual([
      { data: { n: 'new' } },
    ])
    expect(await jobs.sql`select subject from table_control.audit where table_name = ''`).toEqual([{ subject: 'new' }])
    expect(await jobs.sql`select id from table_control.jobs`).toEqual([{ id: young }])
    expect(await jobs.sql`select distinct job_id as id from table_control.job_chunks`).toEqual([{ id: young }])
  })

  it('is removed even if the rows of another table cannot be', async () => {
    await jobs.sql`insert into table_control.idempotency_keys (subject, key, request_hash, created_at)
      values ('nora', 'old', '', now() - interval '25 hours')`
    await jobs.sql`insert into table_control.notifications (subject, title, body, level, data, created_at)
      values ('nora', '{"late": 1}', '{}', 'info', '{}', now() - interval '91 days')`
    await using _ = await breakChange('idempotency_keys', 'delete', 'true')
    await expect(jobs.sweep()).rejects.toThrow('The sweep was not complete')
    expect(await jobs.sql`select from table_control.notifications where title = '{"late": 1}'`).toEqual([])
    expect(await jobs.sql`select from table_control.idempotency_keys where key = 'old'`).toHaveLength(1)
  })

  it('is kept as long as the settings say', async () => {
    await jobs.sql.unsafe(`
      insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id, at)
        select 'nora', 'kept', '', '', 'row', n, '', '', now() - n * interval '1 day' from generate_series(60, 20, -1) n;
      insert into table_control.notifications (subject, title, body, level, data, created_at)
        select 'nora', '{"kept": 1}', '{}', 'info', jsonb_build_object('n', n), now() - n * interval '1 day' from generate_series(1, 3) n`)
    const config = { ...jobs.service.config, AUDIT_DAYS: 40, NOTIFICATION_DAYS: 2 }
    await removeExpired({ ...jobs.service, config }, rethrow)
    const oldest = async () =>
      (await jobs.sql`select max(rows) from table_control.audit where table_name = 'kept'`)[0]?.['max']
    expect(await oldest()).toBe(39)
    const left = await jobs.sql`select data from table_control.notifications where title = '{"kept": 1}'`
    expect(left).toEqual([{ data: { n: 1 } }])
    await removeExpired({ ...jobs.service, config: { ...config, AUDIT_DAYS: 1 } }, rethrow)
    expect(await oldest(), 'no setting reaches the last 30 days').toBe(29)
  })

  it('is removed whole, however much it is', async () => {
    await jobs.sql`insert into table_control.idempotency_keys (subject, key, request_hash, created_at)
      select 'nora', 'k' || n, '', now() - interval '25 hours' from generate_series(1, 3500) n`
    await jobs.sql`insert into table_control.downloads (id, subject, object_key, file_name, content_type, bytes, expires_at)
      select gen_random_uuid(), 'nora', 'none/' || n, 'f', 'text/csv', 1, now() - interval '1 minute' from generate_series(1, 450) n`
    await jobs.sql`insert into table_control.imports (subject, guard, table_name, params, object_key, bytes, expires_at)
      select 'nora', 'api', 'parcels', '{}', 'none', 1, now() - interval '1 minute' from generate_series(1, 12)`
    await jobs.sweep()
    expect(await jobs.sql`select from table_control.idempotency_keys where key like 'k%'`).toEqual([])
    expect(await jobs.sql`select from table_control.downloads`).toEqual([])
    expect(await jobs.sql`select from table_control.imports`).toEqual([])
  })

  it('is removed with no more cells at once than a statement has time for', async () => {
    await jobs.sql`with made as (insert into table_control.imports (subject, guard, table_name, params, object_key, bytes, expires_at)
        select 'nora', 'api', 'parcels', '{}', 'none', 1, now() - interval '1 minute' from generate_series(1, 12) returning id)
      insert into table_control.import_cells (import_id, position, kind, place, cell_values)
        select id, position, 'change', '', '' from made, generate_series(1, 2) as position`
    await jobs.sql.unsafe(`create function refuse_many() returns trigger language plpgsql as
        $$ begin if (select count(*) > 5 from removed) then raise 'too many'; end if; return null; end $$;
      create trigger refuse_many after delete on table_control.imports referencing old table as removed
        for each statement execute function refuse_many()`)
    await jobs.sweep().finally(() => jobs.sql`drop function refuse_many cascade`)
    expect(await jobs.sql`select from table_control.import_cells`).toEqual([])
  })
})

describe('the sweep', () => {
  it('removes the rows of a job a day after its end, and keeps the job', async () => {
    const ended = await jobs.ask('parcels/move')
    const running = await jobs.ask('parcels/move')
    await age(
      ended,
      "state = 'cancelled', finished_at = now() - interval '25 hours', created_at = now() - interval '25 hours'",
    )
    await age(
      running,
      "state = 'running', lease_until = now() + interval '1 minute', created_at = now() - interval '2 days'",
    )
    await jobs.sweep()
    expect(await jobs.sql`select distinct job_id as id from table_control.job_chunks`).toEqual([{ id: running }])
    expect((await jobs.job(ended)).status).toBe('cancelled')
  })

  it.each([
    ['as long as the audit', { AUDIT_DAYS: 40 }, [40, 40]],
    ['for its own number of days, if it is shorter', { AUDIT_DAYS: 400, HISTORY_DAYS: 2 }, [2, 61]],
    ['for its own number of days, if it is longer', { AUDIT_DAYS: 40, HISTORY_DAYS: 100 }, [100, 40]],
  ])('keeps the changes of cells %s', async (_, settings, [changeDays = 0, entryDays = 0]) => {
    await jobs.sql.unsafe(`
      delete from table_control.cell_changes;
      delete from table_control.audit where table_name = 'beside';
      insert into table_control.cell_changes (change, subject, table_name, row_key, cells, request_id, at)
        select gen_random_uuid(), 'nora', 'parcels', n::text, '{}', '', now() - n * interval '1 day'
        from generate_series(150, 0, -1) n;
      insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id, at)
        select 'nora', 'beside', '', '', 'row', n, '', '', now() - n * interval '1 day' from generate_series(60, 0, -1) n`)
    await removeExpired({ ...jobs.service, config: { ...jobs.service.config, ...settings } }, rethrow)
    expect(await jobs.sql`select count(*)::int from table_control.cell_changes`).toEqual([{ count: changeDays }])
    const entries = await jobs.sql`select count(*)::int from table_control.audit where table_name = 'beside'`
    expect(entries).toEqual([{ count: entryDays }])
  })

  it('removes the file together with its last link', async () => {
    const id = await jobs.ask('parcels/push_report', small)
    await jobs.work([id])
    const [file] = await jobs.sql`select object_key from table_control.downloads where job_id = ${id}`
    const head = () => s3.send(new HeadObjectCommand({ Bucket: jobs.queue.bucket, Key: file?.['object_key'] }))
    await jobs.sweep()
    await head()
    await jobs.sql`update table_control.downloads set expires_at = now() - interval '1 second' where job_id = ${id}`
    const { config } = jobs.service
    const refused = sweep(() => ({ ...jobs.service, config: { ...config, REPORT_BUCKET: 'another-bucket' } }))
    await refused().catch(() => undefined)
    expect(await jobs.sql`select from table_control.downloads where job_id = ${id}`).toHaveLength(1)
    await jobs.sweep()
    expect(await jobs.sql`select from table_control.downloads`).toEqual([])
    await expect(head()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })

  it('keeps a link that is being extended', async () => {
    const id = await jobs.ask('parcels/push_report', small)
    await jobs.work([id])
    const [file] = await jobs.sql`update table_control.downloads set expires_at = now() - interval '1 second'
      where job_id = ${id} returning object_key`
    await jobs.sql.begin(async (sql) => {
      await sql`update table_control.downloads set expires_at = now() + interval '1 day' where job_id = ${id}`
      await jobs.sweep()
    })
    await jobs.sweep()
    expect(await jobs.sql`select revoked_at from table_control.downloads where job_id = ${id}`).toEqual([
      { revoked_at: null },
    ])
    await s3.send(new HeadObjectCommand({ Bucket: jobs.queue.bucket, Key: file?.['object_key'] }))
    await jobs.sql`delete from table_control.downloads`
  })

  it('keeps a file that another link leads to', async () => {
    const emails = ['ada@example.test', 'bob@example.test']
    const id = await jobs.ask('parcels/mail_large_file', { ...small, emails })
    await jobs.work([id])
    const [file] = await jobs.sql`select object_key from table_control.downloads where job_id = ${id}`
    const head = () => s3.send(new HeadObjectCommand({ Bucket: jobs.queue.bucket, Key: file?.['object_key'] }))
    const expire = (recipient: string) => jobs.sql`update table_control.downloads
      set expires_at = now() - interval '1 second' where job_id = ${id} and recipient = ${recipient}`
    await expire('ada@example.test')
    await jobs.sweep()
    expect(await jobs.sql`select recipient from table_control.downloads`).toEqual([{ recipient: 'bob@example.test' }])
    await head()
    await expire('bob@example.test')
    await jobs.sweep()
    await expect(head()).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })
})
