import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type { DatabaseSession } from '../../lib/index.ts'
import { base, defineTable, depot, label } from '../support/parcels/typed-parcels.ts'

const columns = { id: { label } } as const
const table = { ...base, columns } as const
const form = z.object({ assignee: z.string(), hours: z.coerce.number().default(8) })

type Row = { readonly id: number; readonly weight: number; readonly note: string | null; readonly fragile: boolean }
type Input = { assignee: string; hours: number }

describe('a row action', () => {
  it('runs on the row as drizzle types it, with the caller and a session of its transaction', () => {
    defineTable({
      ...base,
      relations: { depot },
      columns: { ...columns, depot__city: { label } },
      params: z.object({ floor: z.coerce.number() }),
      rowActions: {
        act: {
          run: ({ row, db, identity, params, requestId, input }) => {
            expectTypeOf(row).toExtend<Row>()
            expectTypeOf(row.depot__city).toEqualTypeOf<string | null>()
            expectTypeOf(identity.claims.tenant).toEqualTypeOf<string>()
            expectTypeOf(params).toEqualTypeOf<{ floor: number }>()
            expectTypeOf(requestId).toEqualTypeOf<string>()
            expectTypeOf(input).toEqualTypeOf<unknown>()
            expectTypeOf(db).toExtend<Pick<DatabaseSession, 'insert' | 'update' | 'delete' | 'select' | 'execute'>>()
            // @ts-expect-error: the table has no such attribute
            row.wieght
          },
        },
      },
    })
  })

  it('has labels for the fields of its form and for nothing else', () => {
    const run = () => {}
    defineTable({ ...table, rowActions: { act: { form, formLabels: { hours: { en: 'Hours', ar: 'ساعات' } }, run } } })
    defineTable({ ...table, bulkActions: { act: { form, formLabels: { assignee: 'Assignee' }, run } } })
    // @ts-expect-error: the form has no such field
    defineTable({ ...table, rowActions: { act: { form, formLabels: { hour: 'Hours' }, run } } })
    // @ts-expect-error: a label is a text, or one in each language
    defineTable({ ...table, rowActions: { act: { form, formLabels: { hours: { en: 'Hours' } }, run } } })
  })

  it('gets what the form’s schema makes of the body', () => {
    defineTable({
      ...table,
      rowActions: {
        one: {
          form,
          run: ({ input }) => {
            expectTypeOf(input).toEqualTypeOf<Input>()
            // @ts-expect-error: the form has no such field
            input.asignee
          },
        },
        two: {
          form: z.object({ note: z.string().optional() }),
          run: ({ input }) => {
            expectTypeOf(input).toEqualTypeOf<{ note?: string | undefined }>()
          },
        },
        several: {
          form,
          bulk: true,
          runAll: async ({ rows, input }) => {
            expectTypeOf(rows).toExtend<readonly Row[]>()
            expectTypeOf(input).toEqualTypeOf<Input>()
            return rows.map(({ id }) => ({ id, text: { en: 'No', ar: 'لا' } }))
          },
        },
      },
    })
  })

  it('answers with a message and an onSuccess that clients know', () => {
    defineTable({
      ...table,
      rowActions: {
        act: { run: () => ({ message: { en: 'x', ar: 'y' }, onSuccess: 'reload', more: [1] }) },
        // @ts-expect-error: a text in one language only must be a plain text
        half: { run: () => ({ message: { en: 'x' } }) },
        // @ts-expect-error: no client knows this
        odd: { run: () => ({ onSuccess: 'explode' }) },
        // @ts-expect-error: nor this
        strange: { onSuccess: 'refetch', run: () => {} },
        // @ts-expect-error: a response never opens a form, only the entry does
        opening: { run: () => ({ onSuccess: 'OpenModalForm' }) },
        // @ts-expect-error: several rows are not one row
        several: { bulk: { onSuccess: 'refetchRow' }, run: () => {} },
        // @ts-expect-error: the second step does not open the form again
        endless: { onSuccess: 'OpenModalForm', onSubmit: 'OpenModalForm', form, run: () => {} },
      },
    })
  })

  it('says what its kind needs', () => {
    defineTable({
      ...table,
      rowActions: {
        go: { type: 'redirect', to: (row) => `/${row.id}` },
        copy: { type: 'copy', copies: ({ note }) => note ?? '' },
        // @ts-expect-error: a redirection leads somewhere
        nowhere: { type: 'redirect' },
        // @ts-expect-error: what is copied is a text, and the note may be missing
        nothing: { type: 'copy', copies: ({ note }) => note },
        // @ts-expect-error: it is true or false
        half: { type: 'toggle', current: ({ note }) => note, run: () => {} },
      },
    })
  })

  it('refuses rows by a text in both languages', () => {
    defineTable({
      ...table,
      rowActions: {
        // @ts-expect-error: a refusal has a text in both languages
        act: { runAll: async ({ rows }) => rows.map(({ id }) => ({ id, text: 'No' })) },
      },
    })
  })
})

describe('a bulk action', () => {
  it('runs on rows, with what the form’s schema makes of the body', () => {
    defineTable({
      ...table,
      bulkActions: {
        act: {
          form,
          response: 'notification',
          run: ({ rows, input, db }) => {
            expectTypeOf(rows).toExtend<readonly Row[]>()
            expectTypeOf(input).toEqualTypeOf<Input>()
            expectTypeOf(db).toExtend<Pick<DatabaseSession, 'update'>>()
            return { data: rows.length }
          },
          conclude: ({ selected, data }) => {
            expectTypeOf(selected).toEqualTypeOf<number>()
            expectTypeOf(data).toEqualTypeOf<readonly unknown[]>()
            return { title: { en: 'Done', ar: 'تم' }, level: 'success' }
          },
        },
      },
    })
  })

  it('either exports or runs', () => {
    defineTable({ ...table, bulkActions: { report: { export: 'csv', response: 'email' } } })
    defineTable({ ...table, bulkActions: { work: { run: () => {} } } })
    // @ts-expect-error: it does neither
    defineTable({ ...table, bulkActions: { act: { response: 'email' } } })
    // @ts-expect-error: it does both
    defineTable({ ...table, bulkActions: { act: { export: 'csv', run: () => {} } } })
    // @ts-expect-error: there is no such format
    defineTable({ ...table, bulkActions: { act: { export: 'pdf' } } })
    // @ts-expect-error: there is no such response
    defineTable({ ...table, bulkActions: { act: { response: 'fax', run: () => {} } } })
    // @ts-expect-error: what is not a file cannot be delivered as one
    defineTable({ ...table, bulkActions: { act: { deliver: 'file', run: () => {} } } })
    // @ts-expect-error: a report has no chunks
    defineTable({ ...table, bulkActions: { act: { export: 'csv', chunk: 10 } } })
  })
})
