import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import * as z from 'zod'
import { createRegistry, everyRow, forbidden, refuse } from '../../../lib/index.ts'
import { serviceDdl } from '../database/service-ddl.ts'
import type { DatabaseTemplate } from '../database/test-database.ts'
import { defineFixture, fixtureClaims } from '../fixtures/identities.ts'

const parcels = pgTable('parcels', {
  id: integer().primaryKey(),
  name: text().notNull(),
  depot: text().notNull(),
  moves: integer().notNull(),
})

/** How many parcels there are; the first ten are in the depot "small", the others in "large". */
export const parcelCount = 3_200

/** No mail holds as much. */
export const largeFileBytes = 7_300_000

const moved = sql`${parcels.moves} + 1`

/** Bulk actions of every response; they count in `moves` how often they met a row. */
const parcelsTable = defineFixture({
  name: 'parcels',
  label: { en: 'Parcels', ar: 'الطرود' },
  from: parcels,
  key: 'id',
  scope: everyRow,
  columns: { id: { label: 'No.' }, name: { label: { en: 'Parcel', ar: 'طرد' } }, moves: { label: 'Moves' } },
  filters: {
    depot: { type: 'text', source: 'depot', label: 'Depot' },
    moves: { type: 'number', source: 'moves', label: 'Moves' },
  },
  sortables: ['id'],
  bulkActions: {
    mail_report: { label: { en: 'Mail report', ar: 'إرسال التقرير' }, response: 'email', export: 'csv' },
    push_report: { response: 'websocket', export: 'excel' },
    note_report: { response: 'notification', export: 'csv' },
    move: {
      response: 'websocket',
      chunk: 100,
      run: async ({ db, rows, where }) => {
        await db.update(parcels).set({ moves: moved }).where(where)
        return { data: rows.length }
      },
      conclude: ({ data }) => ({
        message: { en: `Moved in ${data.length} chunks`, ar: `نُقل في ${data.length} دفعات` },
      }),
    },
    tell_large: {
      response: 'notification',
      chunk: 100,
      run: () => ({ data: [2n ** 63n, 'a\0b\ud800'] }),
      conclude: ({ data }) => ({ message: { en: 'Told\0', ar: 'تم' }, data: { last: data.at(-1), limit: 2n ** 64n } }),
    },
    move_with_preview: {
      response: 'websocket',
      chunk: 100,
      preview: true,
      run: async ({ db, where }) => {
        await db.update(parcels).set({ moves: moved }).where(where)
      },
    },
    move_millions: {
      response: 'websocket',
      chunk: 2_000,
      maxRows: 1_100_000,
      run: async ({ db, where }) => {
        await db.update(parcels).set({ moves: moved }).where(where)
      },
    },
    move_few: { response: 'websocket', maxRows: 3_100, run: () => {} },
    move_now: { run: () => {} },
    move_and_tell: {
      response: 'notification',
      chunk: 100,
      run: async ({ db, where }) => {
        await db.update(parcels).set({ moves: moved }).where(where)
      },
    },
    move_and_mail: {
      response: 'email',
      chunk: 100,
      form: z.object({ by: z.coerce.number() }),
      run: async ({ db, where, input }) => {
        await db
          .update(parcels)
          .set({ moves: sql`${parcels.moves} + ${input.by}` })
          .where(where)
      },
    },
    move_all_or_none: {
      response: 'websocket',
      chunk: 100,
      atomic: true,
      run: async ({ db, rows, where }) => {
        await db.update(parcels).set({ moves: moved }).where(where)
        if (rows.some(({ id }) => id === 250)) throw refuse({ en: 'Not 250', ar: 'ليس 250' }, 'not_250')
      },
    },
    refuse_some: {
      response: 'websocket',
      chunk: 100,
      run: ({ rows }) => ({
        refused: rows.filter(({ id }) => id % 10 === 0).map(({ id }) => ({ id, text: { en: 'No', ar: 'لا' } })),
      }),
    },
    refuse_and_tell: {
      response: 'notification',
      chunk: 5_000,
      run: ({ rows }) => ({
        refused: rows.slice(0, 2).map(({ id }) => ({ id, text: { en: 'No', ar: 'لا' } })),
      }),
      conclude: () => ({ data: { first: 'parcel 1' } }),
    },
    refuse_each: {
      response: 'notification',
      chunk: 100,
      run: async ({ db, rows, where }) => {
        await db.update(parcels).set({ moves: moved }).where(where)
        const refused = rows.filter(({ id }) => id % 4 === 0)
        return {
          refused: refused.map(({ id }) => ({ id, text: { en: `No. ${id} is locked`, ar: `الرقم ${id} مقفل` } })),
        }
      },
    },
    break_down: {
      response: 'notification',
      chunk: 100,
      run: () => Promise.reject(new Error('a secret of the author')),
    },
    break_when_tried: {
      response: 'websocket',
      preview: true,
      run: () => Promise.reject(new Error('a secret of the author')),
    },
    mail_large_file: {
      response: 'email',
      chunk: 5_000,
      run: () => {},
      conclude: () => ({
        message: { en: 'All of them', ar: 'كلها' },
        file: { name: 'all.bin', contentType: 'application/octet-stream', content: new Uint8Array(largeFileBytes) },
      }),
    },
    tell_much: {
      response: 'websocket',
      chunk: 5_000,
      run: () => {},
      conclude: () => ({ data: { much: 'x'.repeat(200_000) } }),
    },
  },
})

const slowBatchMs = 2_500
let batchMs = slowBatchMs

/** Lets reports of the table "slow" take no longer than others in this process, until the result is disposed of. */
export function hurryReports(): Disposable {
  batchMs = 0
  return {
    [Symbol.dispose]: () => {
      batchMs = slowBatchMs
    },
  }
}

let chunkGate: Promise<void> | undefined

/** Keeps jobs of the table "slow" before the rows of their next chunk until the result is disposed of. */
export function holdChunks(): Disposable {
  const { promise, resolve } = Promise.withResolvers<void>()
  chunkGate = promise
  return { [Symbol.dispose]: resolve }
}

/** Takes so long for a batch that a worker can be met in the middle of a report. */
const slowTable = defineFixture({
  name: 'slow',
  from: parcels,
  key: 'id',
  scope: everyRow,
  columns: {
    id: { label: 'No.' },
    late: {
      label: 'Late',
      load: async (rows) => {
        await sleep(batchMs)
        return rows.map(() => 'late')
      },
    },
  },
  bulkActions: {
    mail_report: { response: 'email', export: 'csv' },
    wait_all_or_none: {
      response: 'websocket',
      chunk: 400,
      atomic: true,
      run: async ({ db, where }) => {
        await db.update(parcels).set({ moves: moved }).where(where)
        await sleep(250)
      },
    },
    wait: {
      response: 'websocket',
      chunk: 400,
      run: async ({ db, where }) => {
        await chunkGate
        await db.update(parcels).set({ moves: moved }).where(where)
        await sleep(250)
      },
    },
  },
})

/** Shows nothing without its params, which its action writes. */
const paramsTable = defineFixture({
  name: 'params_parcels',
  from: parcels,
  key: 'id',
  params: z.object({ depot: z.string().optional() }),
  scope: ({ params }) => eq(parcels.depot, params.depot ?? ''),
  columns: { id: { label: 'No.' } },
  bulkActions: {
    move: {
      response: 'websocket',
      run: async ({ db, where, params }) => {
        await db
          .update(parcels)
          .set({ moves: moved, name: params.depot ?? 'none' })
          .where(where)
      },
    },
  },
})

/** The scope of a caller stands in the table "grants". */
const grantedTable = defineFixture({
  name: 'granted',
  from: parcels,
  key: 'id',
  middlewares: [
    ({ identity }) => {
      if (identity.claims.role === 'suspended') throw forbidden({ en: 'Suspended', ar: 'موقوف' })
    },
  ],
  scope: ({ identity }) => sql`${parcels.depot} in (select depot from grants where subject = ${identity.subject})`,
  columns: { id: { label: 'No.' }, name: { label: 'Parcel' } },
  bulkActions: {
    mail_report: { response: 'email', export: 'csv' },
    move: {
      response: 'websocket',
      run: async ({ db, where }) => {
        await db.update(parcels).set({ moves: moved }).where(where)
      },
    },
    of_managers: {
      response: 'websocket',
      loadIf: ({ identity }) => identity.claims.role === 'manager',
      run: async ({ db }) => {
        await db.update(parcels).set({ moves: 1_000 }).where(eq(parcels.id, 1))
      },
    },
  },
})

/** The identities of callers that have changed between the request and the run of their job. */
export const rolesNow = new Map<string, string | undefined>()

const never = () => new Promise<never>(() => {})

/** Its own code never ends. */
const hangingTable = defineFixture({
  name: 'hanging',
  from: parcels,
  key: 'id',
  scope: everyRow,
  columns: { moves: { label: 'Moves' }, loaded: { label: 'Loaded', load: never } },
  bulkActions: {
    load: { response: 'websocket', export: 'csv' },
    run: { response: 'websocket', run: never },
    tell: { response: 'websocket', run: () => {}, afterCommit: never },
    tell_all: { response: 'websocket', atomic: true, run: () => {}, afterCommit: never },
    conclude: { response: 'websocket', run: () => {}, conclude: never },
  },
})

export const jobRegistry = createRegistry([parcelsTable, slowTable, paramsTable, grantedTable, hangingTable], {
  claims: fixtureClaims,
  identityNow: (identity) => {
    if (!rolesNow.has(identity.subject)) return identity
    const role = rolesNow.get(identity.subject)
    if (role === 'somebody else') return { ...identity, subject: 'sami' }
    return role === undefined ? undefined : { ...identity, claims: { ...identity.claims, role } }
  },
})

/** The service's tables, the parcels, and who may see which. */
export const jobTemplate: DatabaseTemplate = {
  name: 'jobs',
  build: async (url) => {
    const database = postgres(url, { max: 1, onnotice: () => {} })
    try {
      await database.unsafe(await serviceDdl())
      await database.unsafe(`
        create table parcels (id integer primary key, name text not null, depot text not null, moves integer not null);
        create table grants (subject text not null, depot text not null);
        insert into parcels select n, 'parcel ' || n, case when n <= 10 then 'small' else 'large' end, 0
          from generate_series(1, ${parcelCount}) n;
        analyze`)
    } finally {
      await database.end({ timeout: 5 })
    }
  },
}
