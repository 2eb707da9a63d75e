import { eq, sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import * as z from 'zod'
import { loadConfig } from '../../../lib/config.ts'
import {
  createRegistry,
  createService,
  createWorkerService,
  download,
  everyRow,
  publicEndpoint,
  reportWorker,
  type Service,
} from '../../../lib/index.ts'
import { defineFixture, fixtureClaims } from '../fixtures/identities.ts'
import { type Api, createApi } from '../requests/api.ts'
import { createTableHandlers } from '../requests/table-handlers.ts'
import { type JobInstallation, nora, startJobInstallation } from './job-installation.ts'

const deals = pgTable('secured_deals', {
  id: integer().primaryKey(),
  tenant: text().notNull(),
  title: text().notNull(),
  runs: integer().notNull(),
})

/** Deals of two tenants in turn: the odd ones belong to the north. */
const ddl = `
  create table secured_deals (id integer primary key, tenant text not null, title text not null, runs integer not null default 0);
  insert into secured_deals select n, case when n % 2 = 1 then 'north' else 'south' end, 'Deal ' || n from generate_series(1, 10) n;
  alter table secured_deals enable row level security;
  create policy caller on secured_deals using (
    tenant = (select nullif(current_setting('table_control.claims', true), '')::jsonb ->> 'tenant'))`

/** Its author forgot the scope, and where the actions change rows, too. */
const dealsTable = defineFixture({
  name: 'deals',
  from: deals,
  key: 'id',
  scope: everyRow,
  // Takes so long for each row that no count of them fits into a budget.
  computed: { costly: sql<string>`case when pg_sleep(0.1 + 0 * ${deals.id}) is null then 'no' else 'yes' end` },
  columns: {
    id: { label: 'No.' },
    title: { label: 'Title' },
    tenant: { label: 'Tenant', editable: true },
    runs: { label: 'Runs' },
  },
  sortables: ['id'],
  filters: { id: { type: 'number', label: 'No.' }, costly: { type: 'text', label: 'Costly' } },
  bindings: {
    id: async ({ db }) => (await db.select().from(deals)).map(({ id }) => ({ value: id, label: String(id) })),
  },
  rowActions: {
    count: {
      bulk: true,
      run: async ({ db, row }) => {
        await db
          .update(deals)
          .set({ runs: row.runs + 1 })
          .where(eq(deals.id, row.id))
      },
    },
    give_away: {
      run: async ({ db, row }) => {
        await db.update(deals).set({ tenant: 'south' }).where(eq(deals.id, row.id))
      },
    },
  },
  bulkActions: {
    reset: { run: async ({ db }) => void (await db.execute(sql`update ${deals} set runs = 7`)) },
    as_csv: { export: 'csv' },
    reset_later: {
      response: 'websocket',
      chunk: 2,
      run: async ({ db }) => {
        await db.execute(sql`update ${deals} set runs = 9`)
        return { data: (await db.select().from(deals)).length }
      },
      conclude: ({ data }) => ({ data: { met: data } }),
    },
    report_later: { response: 'websocket', export: 'csv' },
  },
})

const estimatedTable = defineFixture({
  name: 'estimated_deals',
  from: deals,
  key: 'id',
  scope: everyRow,
  columns: { id: { label: 'No.' } },
  count: 'estimated',
})

const claims = fixtureClaims.extend({ auth_time: z.number().optional() })
const securedRegistry = createRegistry([dealsTable, estimatedTable], { claims })

export interface SecuredInstallation extends Api {
  readonly jobs: JobInstallation
  /** The same as a process with other settings has it. */
  readonly variant: (settings: Readonly<Record<string, string>>) => Api
  /** Asks for a job, works on it, and returns what became of it. */
  readonly done: (
    action: string,
    as?: Parameters<JobInstallation['job']>[1],
  ) => Promise<Readonly<Record<string, unknown>>>
  readonly stop: () => Promise<void>
}

/** A service that names its callers to the policies of its one table, `deals`. Stop it in `afterAll`. */
export async function startSecuredInstallation(): Promise<SecuredInstallation> {
  const jobs = await startJobInstallation({ DATABASE_ROW_SECURITY: 'on' })
  await jobs.sql.unsafe(ddl)
  const services: Service[] = []
  const variant: SecuredInstallation['variant'] = (settings) => {
    const service = createService(loadConfig({ ...jobs.environment, ...settings }))
    services.push(service)
    const running = () => service
    const handlers = {
      ...createTableHandlers(securedRegistry, running),
      download: publicEndpoint({ name: 'download', run: download }, running),
    }
    return createApi(handlers, {
      tokenFor: jobs.provider.tokenFor,
      as: nora,
      describing: { registry: securedRegistry },
    })
  }
  const api = variant({})
  const workers = createWorkerService(loadConfig(jobs.environment))
  const worker = reportWorker(securedRegistry, () => workers)
  return {
    ...api,
    jobs,
    variant,
    done: async (action, as = nora) => {
      const { json } = await api.post(`bulk-table-action/deals/${action}`, {}, { as })
      await worker(jobs.createEvent([json.job.id]), { getRemainingTimeInMillis: () => 900_000 })
      return jobs.job(json.job.id, as)
    },
    stop: async () => {
      await Promise.all(
        [workers.database, workers.work, ...services.map(({ database }) => database)].map((one) => one.close()),
      )
      await jobs.stop()
    },
  }
}
