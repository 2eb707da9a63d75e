import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startJobInstallation } from '../../support/jobs/job-installation.ts'
import { parcelCount } from '../../support/jobs/job-tables.ts'
import { queuedMessages } from '../../support/jobs/queued-jobs.ts'

const jobs = await startJobInstallation({ RUNNING_JOBS_PER_CALLER: '1' })
afterAll(() => jobs.stop())
beforeEach(async () => {
  await jobs.sql`delete from table_control.jobs`
  await queuedMessages(jobs.queue)
})

/** Counts the rows of a table that the functions read, whether a statement finds them or filters them out. */
async function countReads(table: string) {
  await jobs.sql.unsafe(`create sequence read_rows;
    grant usage on sequence read_rows to public;
    alter table table_control.${table} enable row level security;
    create policy counted on table_control.${table} using (nextval('read_rows') > 0) with check (true)`)
  return {
    count: async () => Number((await jobs.sql`select last_value from read_rows`)[0]?.['last_value']),
    [Symbol.asyncDispose]: async () => {
      await jobs.sql.unsafe(`drop policy counted on table_control.${table};
        alter table table_control.${table} disable row level security; drop sequence read_rows`)
    },
  }
}

describe('a job of many chunks', () => {
  it.each(['move', 'move_all_or_none'])('reads each of them a few times: %s', async (action) => {
    const id = await jobs.ask(`parcels/${action}`)
    await using reads = await countReads('job_chunks')
    await jobs.work([id])
    const chunkCount = parcelCount / 100
    expect(await reads.count()).toBeLessThan(6 * chunkCount)
  })
})
