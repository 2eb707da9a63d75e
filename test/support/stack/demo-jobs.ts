import PostalMime, { type Email } from 'postal-mime'
import * as z from 'zod'
import type { ApiResponse } from '../requests/api.ts'
import { eventually } from '../run/patience.ts'
import type { DemoIdentity, DemoRequest, DemoStack } from './demo-stack.ts'

const envelopes = z.array(
  z.object({ messageId: z.string(), destinations: z.array(z.string()), tags: z.record(z.string(), z.string()) }),
)

export type DemoEnvelope = z.output<typeof envelopes>[number]

const over: ReadonlySet<unknown> = new Set(['succeeded', 'failed', 'cancelled', 'unknown'])

/** How the tests of a running stack ask for jobs and watch what comes of them. */
export function demoJobs(stack: DemoStack) {
  const { call, facts, sql } = stack

  /** The response to a bulk action that became a job. */
  const ask = async (path: string, as: DemoIdentity, body: object = {}, headers: DemoRequest['headers'] = {}) => {
    const { json, status, text } = await call(`bulk-table-action/${path}`, { as, body, headers })
    if (status !== 200) throw new Error(`${path}: ${text}`)
    return String(json.job.id)
  }
  const status = async (id: string, as: DemoIdentity): Promise<ApiResponse['json']> =>
    (await call(`jobs/${id}`, { as })).json.job
  /** The job, as soon as its owner is told that it is over. */
  const waitForEnd = (id: string, as: DemoIdentity): Promise<ApiResponse['json']> =>
    eventually(
      async () => {
        const job = await status(id, as)
        return over.has(job.status) ? job : undefined
      },
      () => sql()`select * from table_control.jobs where id = ${id}`,
    )
  /** The mails that SES accepted for a job. */
  const findEnvelopes = async (id: string): Promise<readonly DemoEnvelope[]> => {
    const all = envelopes.parse(await (await fetch(`${facts().ses_endpoint}/envelopes`)).json())
    return all.filter(({ tags }) => tags['job_id'] === id)
  }
  /** The mail as it was sent, read by a parser that is not the service's. */
  const readMail = async ({ messageId }: DemoEnvelope): Promise<Email> => {
    const raw = await fetch(`${facts().ses_endpoint}/envelopes/${messageId}.eml`)
    return PostalMime.parse(await raw.arrayBuffer())
  }
  /** Resolves when the sweep has gone through all that was there when this was called. */
  const swept = async (): Promise<void> => {
    const hash = crypto.randomUUID()
    await sql()`insert into table_control.socket_tickets (hash, identity, expires_at)
      values (${hash}, '{}', now() - interval '1 second')`
    await eventually(async () => {
      const left = await sql()`select from table_control.socket_tickets where hash = ${hash}`
      return left.length === 0 ? true : undefined
    })
  }
  /** Lets the minutes pass after which a job without a report from its worker counts as lost. */
  const minutesLater = async (id: string): Promise<void> => {
    await sql()`update table_control.jobs set not_before = null, enqueued_at = now() - interval '10 minutes',
      lease_until = case when state = 'running' then now() - interval '1 second' end where id = ${id}`
  }
  return { ask, status, ended: waitForEnd, findEnvelopes, readMail, swept, minutesLater }
}
