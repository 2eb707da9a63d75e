import PostalMime from 'postal-mime'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { north } from '../support/fixtures/identities.ts'
import { nora, sami, startJobInstallation } from '../support/jobs/job-installation.ts'
import { largeFileBytes, parcelCount } from '../support/jobs/job-tables.ts'
import { waitFor } from '../support/run/patience.ts'

// Requests at once need a connection each.
const jobs = await startJobInstallation({ DATABASE_CONNECTIONS: '2' })
afterAll(() => jobs.stop())

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const findMails = (id: string) => jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === id)
const moves = async (condition = 'true') =>
  (await jobs.sql.unsafe(`select distinct moves from parcels where ${condition}`)).map((row) => row['moves'])
const findNotifications = (id: string) =>
  jobs.sql`select subject, title, body, level, data from table_control.notifications where dedupe_key = ${`job:${id}`}`
const readAudit = (id: string) =>
  jobs.sql`select kind, rows, outcome from table_control.audit where job_id = ${id} order by id`

beforeEach(async () => {
  await jobs.sql`update parcels set moves = 0 where moves <> 0`
})

describe('a job that ends in mails', () => {
  it('sends a report as one mail to each recipient, with the file in it', async () => {
    const emails = [' nora@example.test', 'noel@example.test', 'NORA@example.test']
    const id = await jobs.ask('parcels/mail_report', { ...small, emails })
    expect(await jobs.job(id)).toMatchObject({ id, status: 'queued', started_at: null })
    expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
    expect(await jobs.job(id)).toMatchObject({
      status: 'succeeded',
      action: 'mail_report',
      table: 'parcels',
      response: 'email',
      done: 10,
      total: 10,
      result: { rows: 10 },
      recipients: [
        { address: 'noel@example.test', status: 'sent' },
        { address: 'nora@example.test', status: 'sent' },
      ],
    })
    const mails = findMails(id)
    expect(mails.flatMap(({ destinations }) => destinations).toSorted()).toEqual([
      'noel@example.test',
      'nora@example.test',
    ])
    expect(String(mails[0]?.raw)).toContain('parcels-')
    expect(await readAudit(id)).toMatchObject([
      { outcome: 'queued' },
      { kind: 'export', rows: 10, outcome: 'succeeded' },
    ])
  })

  it('says in the mail of a report how many rows were left out of all', async () => {
    const id = await jobs.ask('parcels/mail_report', { ...small, select_all: true, excluded_ids: [1, 2, 3] })
    await jobs.work([id])
    const { text, html } = await PostalMime.parse(findMails(id)[0]?.raw ?? '')
    for (const body of [text, html?.replace(/<[^>]+>/g, ' ')]) {
      expect(body).toMatch(/Filters\W+Depot is small\s+Excluded rows\W+3\s+Rows\W+7\s/)
    }
  })

  it('runs the action of its author with the form that was filled in, and mails what came of it', async () => {
    const id = await jobs.ask('parcels/move_and_mail', { ...small, by: 7 })
    await jobs.work([id])
    expect(await moves("depot = 'small'")).toEqual([7])
    expect(await moves("depot = 'large'")).toEqual([0])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', result: { counts: { succeeded: 10, failed: 0 } } })
    expect(findMails(id)).toHaveLength(1)
  })

  it('sends a link to a file that is too large for a mail', async () => {
    const id = await jobs.ask('parcels/mail_large_file', small)
    await jobs.work([id])
    const [mail] = findMails(id)
    expect(mail?.size).toBeLessThan(20_000)
    const parsed = await PostalMime.parse(mail?.raw ?? '')
    expect(parsed.text).toContain('All of them')
    expect(parsed.text).toMatch(/https:\/\/tables\.example\.test\/\S+\/downloads\/\S{72}/)
    expect(
      await jobs.sql`select bytes::int, expires_at > now() + interval '6 days' as long
      from table_control.downloads where job_id = ${id}`,
    ).toEqual([{ bytes: largeFileBytes, long: true }])
  })

  it('needs no token that is still valid, because it belongs to its owner', async () => {
    const token = jobs.provider.tokenFor(nora, { expiresIn: 5 })
    const { json } = await jobs.post('bulk-table-action/parcels/mail_report', small, { as: token })
    await waitFor(async () => expect((await jobs.get(`jobs/${json.job.id}`, { as: token })).status).toBe(401))
    await jobs.work([json.job.id])
    expect(await jobs.job(json.job.id)).toMatchObject({ status: 'succeeded' })
  })
})

describe('a job over the WebSocket', () => {
  it('makes a file and returns its link', async () => {
    const id = await jobs.ask('parcels/push_report', small)
    await jobs.work([id])
    const { status, result } = await jobs.job(id)
    expect({ status, result }).toMatchObject({
      status: 'succeeded',
      result: { type: 'stream', rows: 10, data: { url: expect.stringContaining('/downloads/') } },
    })
  })

  it('keeps the data of its author, whatever JSON and Postgres cannot hold of it', async () => {
    const id = await jobs.ask('parcels/tell_large')
    await jobs.work([id])
    const { status, result } = await jobs.job(id)
    expect(status).toBe('succeeded')
    expect(result).toMatchObject({
      message: 'Told',
      data: { last: ['9223372036854775808', 'ab\ufffd'], limit: '18446744073709551616' },
    })
  })

  it('works on all rows in chunks, and concludes in the words of its author', async () => {
    const id = await jobs.ask('parcels/move')
    await jobs.work([id])
    expect(await moves()).toEqual([1])
    expect(await jobs.job(id)).toMatchObject({
      status: 'succeeded',
      done: parcelCount,
      total: parcelCount,
      result: { message: 'Moved in 32 chunks', counts: { succeeded: parcelCount, failed: 0 } },
    })
    expect(await readAudit(id)).toMatchObject([{ outcome: 'queued' }, { kind: 'bulk', rows: parcelCount }])
  })

  it('lists at most a hundred of the refused rows, and counts all', async () => {
    const id = await jobs.ask('parcels/refuse_some')
    await jobs.work([id])
    const { status, result } = await jobs.job(id)
    expect(status).toBe('succeeded')
    expect(result.counts).toEqual({ selected: parcelCount, succeeded: parcelCount * 0.9, failed: parcelCount / 10 })
    expect(result.results).toHaveLength(100)
    expect(result.results[0]).toEqual({ id: 10, success: false, code: 'action_failed', errors: ['No', 'لا'] })
  })

  it('shows the refused rows to nobody with other claims than those of the request', async () => {
    const id = await jobs.ask('parcels/refuse_some')
    await jobs.work([id])
    const { results, ...facts } = (await jobs.job(id)).result
    expect(results).toHaveLength(100)
    expect((await jobs.job(id, { ...nora, tenant: 'south' })).result).toEqual(facts)
  })

  it('makes a link of a result that no message can hold', async () => {
    const id = await jobs.ask('parcels/tell_much')
    await jobs.work([id])
    const { result } = await jobs.job(id)
    expect(JSON.stringify(result).length).toBeLessThan(2_000)
    expect(result.data).toMatchObject({ filename: 'result.json', url: expect.stringContaining('/downloads/') })
  })

  it('changes nothing where one row refuses an action that is all or nothing', async () => {
    const id = await jobs.ask('parcels/move_all_or_none')
    await jobs.work([id])
    expect(await moves()).toEqual([0])
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'not_250', errors: ['Not 250', 'ليس 250'] })
  })
})

describe('a job that ends in a notification', () => {
  const ask = async (action: string, body: object) => {
    await jobs.sql`insert into parcels select n, 'extra', 'extra', 0 from generate_series(10001, 10010) n on conflict do nothing`
    return jobs.ask(`parcels/${action}`, body)
  }

  it('stores it once, with what came of the job', async () => {
    const id = await ask('move_and_tell', {})
    await jobs.work([id, id])
    const [notification, ...more] = await findNotifications(id)
    expect(more).toEqual([])
    expect(notification).toMatchObject({
      subject: 'nora',
      level: 'success',
      data: { job_id: id, counts: { failed: 0 } },
    })
  })

  it('lists its rows and the data of its author for no other claims than those of the request', async () => {
    const id = await ask('refuse_and_tell', {})
    await jobs.work([id])
    const read = async (as: typeof nora) => (await jobs.get('notifications?limit=1', { as })).json.items[0].data
    const { results, first, ...facts } = await read(nora)
    expect([results.length, first, facts.counts.failed]).toEqual([2, 'parcel 1', 2])
    expect(await read({ ...nora, tenant: 'south' })).toEqual(facts)
    await jobs.sql`delete from table_control.jobs where id = ${id}`
    expect(await read(nora)).toEqual(facts)
  })

  it('brings a link to a large report', async () => {
    const id = await ask('note_report', {})
    await jobs.work([id])
    const [notification] = await findNotifications(id)
    expect(notification).toMatchObject({
      data: { rows: expect.any(Number), url: expect.stringContaining('/downloads/') },
    })
  })

  it('shows its owner, in both languages and without secrets, where the author has made a mistake', async () => {
    const id = await ask('break_down', {})
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'internal_error' })
    const [notification] = await findNotifications(id)
    expect(notification).toMatchObject({
      level: 'danger',
      title: { en: 'Failed: Break down' },
      data: { code: 'internal_error' },
    })
    expect(JSON.stringify(notification)).not.toContain('secret')
  })
})

describe('who may look at a job and stop it', () => {
  it.each([
    ['another caller', sami],
    ['a colleague', { ...north, sub: 'noel' }],
  ])('%s finds no such job', async (_who, as) => {
    const id = await jobs.ask('parcels/mail_report', small)
    expect(await jobs.get(`jobs/${id}`, { as })).toMatchObject({ status: 404, json: { code: 'job_not_found' } })
    expect(await jobs.post(`jobs/${id}/cancel`, {}, { as })).toMatchObject({
      status: 404,
      json: { code: 'job_not_found' },
    })
    expect(await jobs.job(id)).toMatchObject({ status: 'queued' })
  })

  it('no events come after what is no number of an event', async () => {
    const path = 'jobs/00000000-0000-4000-8000-000000000000'
    for (const after of ['-1', '1.5', 'x', '1000000000']) {
      const { status, json } = await jobs.get(`${path}?after=${after}`)
      expect({ status, fields: json.fields }).toEqual({ status: 422, fields: { after: [expect.any(String)] } })
    }
  })

  it.each(['1', 'null', '00000000-0000-0000-0000-000000000000', "x' or 1=1", 'ÿ', '~'])(
    'there is no job %j',
    async (id) => {
      expect(await jobs.get(`jobs/${encodeURIComponent(id)}`)).toMatchObject({
        status: 404,
        json: { code: 'job_not_found' },
      })
    },
  )

  it('one that waits is over at once, and does nothing any more', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    expect((await jobs.post(`jobs/${id}/cancel`)).json.job).toMatchObject({ status: 'cancelled', code: 'cancelled' })
    expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
    expect(findMails(id)).toEqual([])
    expect(await readAudit(id)).toMatchObject([{ outcome: 'queued' }, { outcome: 'cancelled' }])
  })

  it('one that two requests at once cancel ends once', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    const cancel = () => jobs.post(`jobs/${id}/cancel`)
    const lock = 'lock table table_control.job_recipients in share row exclusive mode'
    const both = await sendBehindLock(jobs.sql, lock, [cancel, cancel])
    expect(both.map(({ json }) => json.job.status)).toEqual(['cancelled', 'cancelled'])
    expect(await readAudit(id)).toMatchObject([{ outcome: 'queued' }, { outcome: 'cancelled' }])
  })

  it('one that is over stays what it is', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await jobs.work([id])
    expect((await jobs.post(`jobs/${id}/cancel`)).json.job).toMatchObject({ status: 'succeeded' })
  })
})
