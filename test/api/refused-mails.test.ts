import { readFileSync } from 'node:fs'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { startJobInstallation } from '../support/jobs/job-installation.ts'
import { recordLog } from '../support/log/recorded-log.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())

const log = recordLog()
afterEach(() => jobs.mail.faults.clear())

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const findNotification = async (id: string) =>
  (await jobs.sql`select level, data from table_control.notifications where dedupe_key = ${`job:${id}`}`)[0]
const listDownloads = (id: string) =>
  jobs.sql`select subject, bytes::int from table_control.downloads where job_id = ${id} and expires_at > now()`

/** A job that has ended, with the link that its owner has got. */
async function waitForEnd(id: string) {
  const { status, result } = await jobs.job(id)
  return { status, result, url: result?.data?.url, notification: await findNotification(id) }
}

describe('the result of a job that sends mails', () => {
  it.each([
    ['refused', 'failed', { code: 'MessageRejected' }],
    ['perhaps sent', 'unknown', { code: 'InternalFailure', status: 500, when: 'after' }],
  ] as const)(
    'reaches its owner as a link, without the word "ready", if the mail was %s',
    async (_how, state, fault) => {
      jobs.mail.faults.add(fault)
      const id = await jobs.ask('parcels/mail_report', small)
      await jobs.work([id])
      const { status, result, url, notification } = await waitForEnd(id)
      expect(status).toBe(state)
      expect(JSON.stringify(result)).not.toContain('ready')
      expect(result).toMatchObject({
        type: 'stream',
        rows: 10,
        file_name: expect.stringMatching(/^parcels-.*\.csv$/),
        url,
      })
      expect(result.message).toContain('nora@example.test')
      expect(notification?.['data']).toMatchObject({ job_id: id, url, file_name: result.file_name })
      expect(url).toMatch(/^https:\/\/tables\.example\.test\/\S+\/downloads\/\S{72}$/)
      expect(await listDownloads(id)).toMatchObject([{ subject: 'nora', bytes: expect.any(Number) }])
    },
  )

  it('stays, with a link beside it, if one of two recipients was refused', async () => {
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'bob@example.test' })
    const id = await jobs.ask('parcels/mail_report', { ...small, emails: ['ada@example.test', 'bob@example.test'] })
    await jobs.work([id])
    const { status, result, url, notification } = await waitForEnd(id)
    expect({ status, result }).toMatchObject({
      status: 'succeeded',
      result: { message: 'The report is ready (rows: 10)' },
    })
    expect(notification).toMatchObject({ level: 'warning', data: { url } })
  })

  it('is stored as a file only by the last of several failed attempts', async () => {
    jobs.mail.faults.add({ code: 'Throttling', message: 'Daily message quota exceeded.', times: 4 })
    const id = await jobs.ask('parcels/mail_report', small)
    for (let attempt = 1; attempt <= 4; attempt++) {
      expect(await listDownloads(id)).toHaveLength(0)
      await jobs.work([id])
      await jobs.later(id)
    }
    const { status, url, notification } = await waitForEnd(id)
    expect(status).toBe('failed')
    expect(url).toContain('/downloads/')
    expect(notification).toMatchObject({ level: 'danger', data: { url } })
    expect(await listDownloads(id)).toHaveLength(1)
  })

  it('keeps its one link and the words of its author if the mail only linked to the file', async () => {
    jobs.mail.faults.add({ code: 'MessageRejected' })
    const id = await jobs.ask('parcels/mail_large_file', small)
    await jobs.work([id])
    expect(await waitForEnd(id)).toMatchObject({
      status: 'failed',
      result: { message: 'All of them', data: { filename: 'all.bin' } },
    })
    expect(await listDownloads(id)).toHaveLength(1)
  })

  it('is not stored as a file if the mails were sent', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await jobs.work([id])
    expect(await waitForEnd(id)).toMatchObject({ status: 'succeeded', url: undefined, notification: undefined })
    expect(await listDownloads(id)).toHaveLength(0)
  })
})

describe('while no file can be stored', () => {
  it('a job whose mail was refused fails nevertheless, without a link', async () => {
    const broken = await startJobInstallation({ REPORT_BUCKET: 'gone' })
    try {
      broken.mail.faults.add({ code: 'MessageRejected' })
      const id = await broken.ask('parcels/mail_report', small)
      await broken.work([id])
      const { status, code, result } = await broken.job(id)
      expect({ status, code, url: result.data?.url }).toEqual({ status: 'failed', code: 'mail_failed', url: undefined })
      expect(result.message).not.toContain('ready')
    } finally {
      await broken.stop()
    }
  })
})

it('the queries of the runbook find each log line of a mail that was refused or perhaps sent', async () => {
  const runbook = readFileSync(new URL('../../infra/RUNBOOK.md', import.meta.url), 'utf8')
  const searched = [...runbook.matchAll(/message like \/(SES .+?|did .+?)\//g)].map(
    ([, words = '']) => new RegExp(words),
  )
  const refused = { code: 'MessageRejected' }
  const perhapsSent = { code: 'InternalFailure', status: 500, when: 'after' } as const
  log.take()
  // Without a recipient left, a second mail tells the owner that the job has failed.
  for (const fault of [refused, perhapsSent]) {
    jobs.mail.faults.add({ ...refused, recipient: 'bob@example.test' })
    jobs.mail.faults.add({ ...fault, recipient: 'nora@example.test' })
    await jobs.work([await jobs.ask('parcels/mail_report', { ...small, emails: ['bob@example.test'] })])
  }
  jobs.mail.faults.add(perhapsSent)
  await jobs.work([await jobs.ask('parcels/mail_report', small)])
  const messages = log.lines().flatMap(({ message }) => (String(message).startsWith('SES ') ? [String(message)] : []))
  expect(new Set(messages).size).toBe(5)
  expect(messages.filter((message) => !searched.some((words) => words.test(message)))).toEqual([])
})
