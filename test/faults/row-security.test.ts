import postgres from 'postgres'
import { afterAll, expect } from 'vitest'
import { nora, sami } from '../support/jobs/job-installation.ts'
import { startSecuredInstallation } from '../support/jobs/secured-installation.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { fault } from './fault.ts'

const installation = await startSecuredInstallation()
const { jobs } = installation
const service = postgres(String(jobs.environment['DATABASE_URL']), { max: 1, onnotice: () => {} })
recordLog()
afterAll(async () => {
  await service.end({ timeout: 5 })
  await installation.stop()
})

const settings = [
  ...['', ' ', 'null', '[]', '{}', '0', 'true', '"north"', 'no json', '{"tenant":null}', '{"tenant":1}'],
  ...[
    '{"tenant":["north"]}',
    '{"tenant":{"north":1}}',
    '{"tenant":""}',
    '{"tenant":"NORTH"}',
    '{"Tenant":"north"}',
    undefined,
  ],
]

fault('F10', 'the caller of a statement is lost, empty or of a wrong type', async (random) => {
  for (const setting of random.shuffle(settings).slice(0, 6)) {
    const rows = await service
      .begin(async (sql) => {
        if (setting !== undefined) await sql`select set_config('table_control.claims', ${setting}, true)`
        return [...(await sql`select id from secured_deals`)]
      })
      .catch(({ code }) => code)
    expect([setting, rows]).toEqual([setting, rows === '22P02' ? '22P02' : []])
  }
  const tenant = random.pick([undefined, null, 1, true, [], ['north'], {}, '', 'NORTH', "north' or true --"])
  const wrong = await installation.post('query-table/deals', {}, { as: { ...nora, tenant } })
  expect([200, 401, 403]).toContain(wrong.status)
  expect(wrong.json.items ?? []).toEqual([])
  const asked = Array.from({ length: 10 }, async () => {
    const as = random.pick([nora, sami])
    const { status, json } = await installation.post('query-table/deals', {}, { as })
    expect([200, 503]).toContain(status)
    const tenants: readonly { readonly tenant: string }[] = json.items ?? []
    expect(tenants.filter((row) => row.tenant !== as['tenant'])).toEqual([])
  })
  if (random.chance(0.5)) {
    await jobs.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'table-control%'`
  }
  await Promise.all(asked)
})
