import { and as drizzleAnd, eq, type SQL, sql } from 'drizzle-orm'
import { customType, integer, jsonb, pgTable, point, vector } from 'drizzle-orm/pg-core'
import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { and, createRegistry, everyRow, tableDefiner } from '../../lib/index.ts'
import { base, defineTable, depot, label, parcels, plain } from '../support/parcels/typed-parcels.ts'

describe('what a table must have', () => {
  it('includes a scope', () => {
    // @ts-expect-error: a table without a scope must say so by everyRow
    defineTable({ name: 'parcels', from: parcels, key: 'id', columns: { id: { label } } })
  })

  it("is a scope that is there: drizzle's own `and` may return undefined, which means every row", () => {
    expectTypeOf(drizzleAnd(eq(parcels.id, 1))).toEqualTypeOf<SQL | undefined>()
    expectTypeOf(and(eq(parcels.id, 1))).toEqualTypeOf<SQL>()
    defineTable({ ...plain, scope: () => and(eq(parcels.id, 1), undefined) })
    // @ts-expect-error: it may be undefined
    defineTable({ ...plain, scope: () => drizzleAnd(eq(parcels.id, 1)) })
    // @ts-expect-error: it is a promise, and no code would await its SQL
    defineTable({ ...plain, scope: async () => eq(parcels.id, 1) })
  })

  it('cannot change the claims of the caller, which later requests share', () => {
    const defineOfStates = tableDefiner<{ states: string[] }>()
    defineOfStates({
      ...plain,
      scope: ({ identity: { claims } }) => {
        // @ts-expect-error: the list is readonly
        claims.states.push('Texas')
        // @ts-expect-error: the claim is readonly
        claims.states = []
        return everyRow()
      },
    })
  })

  it('includes options for a select', () => {
    // @ts-expect-error: there is nothing to choose from
    defineTable({ ...plain, filters: { note: { type: 'select', label } } })
  })
})

describe('a column', () => {
  it('must have a value if its name has no source', () => {
    // @ts-expect-error: nothing says what its cells hold
    defineTable({ ...base, columns: { fancy: { label, type: 'text' } } })
  })

  it('gets rows without bytes and vectors, which are not read for it', () => {
    const photos = pgTable('photos', {
      id: integer().primaryKey(),
      photo: customType<{ data: Buffer }>({ dataType: () => 'bytea' })(),
      span: customType<{ data: string }>({ dataType: () => 'int4range' })(),
      meaning: vector({ dimensions: 3 }),
      place: point(),
      // biome-ignore lint/suspicious/noExplicitAny: an author's own
      extra: jsonb().$type<any>(),
    })
    const value = (row: object) => Object.keys(row).length
    const table = { name: 'photos', from: photos, key: 'id', scope: everyRow } as const
    defineTable({
      ...table,
      columns: { seen: { label, value: ({ span, place, extra }) => value([span, place?.[0], extra]) } },
    })
    // @ts-expect-error: bytes are large
    defineTable({ ...table, columns: { seen: { label, value: ({ photo }) => value([photo]) } } })
    // @ts-expect-error: so are vectors
    defineTable({ ...table, columns: { seen: { label, value: ({ meaning }) => value([meaning]) } } })
  })

  it("formats the value that drizzle's types promise", () => {
    defineTable({
      ...base,
      relations: { depot },
      computed: { heavy: sql<boolean>`${parcels.weight} > 5` },
      columns: {
        weight: {
          label,
          format: (value) => {
            expectTypeOf(value).toEqualTypeOf<number>()
            return value
          },
        },
        note: {
          label,
          format: (value) => {
            expectTypeOf(value).toEqualTypeOf<string | null>()
            return value
          },
        },
        price: {
          label,
          format: (value) => {
            expectTypeOf(value).toEqualTypeOf<string | null>()
            return value
          },
        },
        depot__city: {
          label,
          format: (value) => {
            expectTypeOf(value).toEqualTypeOf<string | null>()
            return value
          },
        },
        heavy: {
          label,
          format: (value) => {
            expectTypeOf(value).toEqualTypeOf<boolean>()
            return value
          },
        },
      },
    })
  })

  it('gets rows in which joined values can be missing, and only what the table shows', () => {
    defineTable({
      ...base,
      relations: { depot },
      columns: {
        id: { label },
        depot__city: { label },
        summary: {
          label,
          value: (row) => {
            expectTypeOf(row.weight).toEqualTypeOf<number>()
            expectTypeOf(row.depot__city).toEqualTypeOf<string | null>()
            // @ts-expect-error: the table does not show it, so it is not read
            row.depot__region_id
            // @ts-expect-error: a missing city has no length
            return row.depot__city.length
          },
        },
      },
      rowActions: {
        check: {
          appliesTo: (row) => {
            expectTypeOf(row.fragile).toEqualTypeOf<boolean>()
            // @ts-expect-error: it is misspelt
            return row.wieght > 5
          },
        },
        lift: { appliesTo: (row) => row.weight < 5 || { reason: { en: 'Too heavy', ar: 'ثقيل جدًا' } }, run: () => {} },
        // @ts-expect-error: a reason is in both languages
        push: { appliesTo: () => ({ reason: 'Too heavy' }), run: () => {} },
        // @ts-expect-error: a toggle says what it is now
        flag: { type: 'toggle' },
      },
    })
  })
})

describe('a function of a table', () => {
  it("knows the caller's claims and the table's own params", () => {
    defineTable({
      ...base,
      params: z.object({ warehouse: z.string().optional(), floor: z.coerce.number() }),
      columns: { id: { label, loadIf: ({ params }) => params.floor > 3 } },
      scope: ({ identity, params }) => {
        expectTypeOf(identity.claims.tenant).toEqualTypeOf<string>()
        expectTypeOf(identity.claims.states).toEqualTypeOf<readonly string[]>()
        expectTypeOf(params).toEqualTypeOf<{ warehouse?: string | undefined; floor: number }>()
        // @ts-expect-error: the params have no such key
        params.wharehouse
        return eq(parcels.depot_id, params.floor)
      },
    })
  })

  it('knows of no params where the table declares none', () => {
    defineTable({
      ...base,
      columns: { id: { label } },
      scope: ({ params }) => {
        expectTypeOf(params).toEqualTypeOf<undefined>()
        return everyRow()
      },
    })
  })
})

describe('a registry', () => {
  it('takes the tables of its own claims only', () => {
    const claims = z.object({ tenant: z.string(), states: z.array(z.string()) })
    const define = tableDefiner<z.output<typeof claims>>()
    const table = define({ ...base, columns: { id: { label } } })
    createRegistry([table], { claims })
    // @ts-expect-error: this table's functions want claims that the registry's tokens do not have
    createRegistry([table], { claims: z.object({ tenant: z.string() }) })
  })
})
