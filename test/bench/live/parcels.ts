import { eq, sql } from 'drizzle-orm'
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import * as z from 'zod'
import { createRegistry, tableDefiner } from '#lib'
import { serviceDdl } from '../../support/database/service-ddl.ts'

/** The scopes of the watched table, the windows that each can have, and the rows of a window. */
export const tenantCount = 10
const depotCount = 100
export const windowRows = 20

export const liveClaims = z.object({ tenant: z.coerce.number() })

const parcels = pgTable(
  'parcels',
  {
    id: integer().primaryKey(),
    tenant: integer().notNull(),
    depot: integer().notNull(),
    name: text().notNull(),
    weight: integer().notNull(),
    moves: integer().notNull(),
    /** When the last change was made, in milliseconds since 1970. */
    moved_at: text(),
  },
  (parcel) => [index().on(parcel.tenant, parcel.depot, parcel.id)],
)

const defineTable = tableDefiner<z.output<typeof liveClaims>>()

const defineParcels = (name: string) =>
  defineTable({
    name,
    label: { en: 'Parcels', ar: 'الطرود' },
    from: parcels,
    key: 'id',
    scope: ({ identity }) => eq(parcels.tenant, identity.claims.tenant),
    columns: {
      id: { label: { en: 'No.', ar: 'الرقم' } },
      name: { label: { en: 'Parcel', ar: 'طرد' } },
      depot: { label: { en: 'Depot', ar: 'المستودع' } },
      weight: { label: { en: 'Weight', ar: 'الوزن' } },
      moves: { label: { en: 'Moves', ar: 'النقلات' } },
      moved_at: { label: { en: 'Moved', ar: 'وقت النقل' } },
    },
    filters: { depot: { type: 'number', label: { en: 'Depot', ar: 'المستودع' } } },
    rowActions: {
      move: {
        label: { en: 'Move', ar: 'نقل' },
        run: async ({ db, row }) => {
          await db
            .update(parcels)
            .set({
              moves: sql`${parcels.moves} + 1`,
              moved_at: sql`(extract(epoch from clock_timestamp()) * 1000)::text`,
            })
            .where(eq(parcels.id, row.id))
        },
      },
    },
  })

/** The watched table, and the same rows as a table that no page watches. */
export const liveRegistry = createRegistry([defineParcels('parcels'), defineParcels('unwatched')], {
  claims: liveClaims,
})

/** The id of one row of a window. */
export const parcelId = (tenant: number, depot: number, place: number): number =>
  (tenant * depotCount + depot) * windowRows + place + 1

/** Creates the rows and the tables of the service in an empty database. */
export async function createParcels(url: string): Promise<void> {
  const owner = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await owner.unsafe(await serviceDdl())
    await owner.unsafe(`
      create extension if not exists pg_stat_statements;
      create table parcels (id integer primary key, tenant integer not null, depot integer not null, name text not null,
        weight integer not null, moves integer not null, moved_at text) with (fillfactor = 70);
      insert into parcels select n + 1, n / ${depotCount * windowRows}, n / ${windowRows} % ${depotCount}, 'parcel ' || n, n % 40, 0, null
        from generate_series(0, ${tenantCount * depotCount * windowRows - 1}) n;
      create index on parcels (tenant, depot, id)`)
    await owner`vacuum analyze parcels`
  } finally {
    await owner.end()
  }
}
