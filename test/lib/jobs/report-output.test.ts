import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeReportFile } from '../../../lib/jobs/run-export.ts'
import { planRows } from '../../../lib/query/plan.ts'
import { type JobInstallation, startJobInstallation } from '../../support/jobs/job-installation.ts'
import { jobRegistry } from '../../support/jobs/job-tables.ts'
import { openTestTable } from '../../support/requests/open-table.ts'

let jobs: JobInstallation
beforeAll(async () => {
  jobs = await startJobInstallation()
})
afterAll(() => jobs.stop())

describe('a full disk', () => {
  it.each(['csv', 'excel'] as const)('ends a report of the format %s in words of our own', async (format) => {
    const { database } = jobs.service
    const table = jobRegistry.tables.get('parcels')
    if (table === undefined) throw new Error('the fixture has no parcels')
    const opened = openTestTable(table)
    const plan = planRows(opened.view, {}, 'UTC')
    const request = { ...opened, plan, format, requestedAt: new Date(), requestedBy: 'nora' }
    await expect(writeReportFile(database, request, '/dev/full', {})).rejects.toMatchObject({
      code: 'report_too_large',
    })
  })
})
