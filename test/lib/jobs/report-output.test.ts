import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyRow } from '../../../lib/index.ts'
import { writeReportFile } from '../../../lib/jobs/report-output.ts'
import { planRows } from '../../../lib/query/plan.ts'
import { requestContext } from '../../../lib/table/request-context.ts'
import { viewOf } from '../../../lib/table/view.ts'
import { type JobInstallation, startJobInstallation } from '../../support/job-installation.ts'
import { jobRegistry } from '../../support/job-tables.ts'

let jobs: JobInstallation
beforeAll(async () => {
  jobs = await startJobInstallation()
})
afterAll(() => jobs.stop())

describe('a full disk', () => {
  it.each(['csv', 'excel'] as const)('ends a report of the format %s in words of our own', async (format) => {
    const { config, database } = jobs.service
    const table = jobRegistry.tables.get('parcels')
    if (table === undefined) throw new Error('the fixture has no parcels')
    const identity = { subject: 'nora', claims: {} }
    const caller = { identity, language: 'en', guard: 'api', baseUrl: '', config } as const
    const context = requestContext(caller, table, undefined)
    const view = viewOf(table, context)
    const plan = planRows(view, {}, 'UTC')
    const request = { view, plan, scope: everyRow(), context, format, requestedAt: new Date(), requestedBy: 'nora' }
    await expect(writeReportFile(database, request, '/dev/full', {})).rejects.toMatchObject({
      code: 'report_too_large',
    })
  })
})
