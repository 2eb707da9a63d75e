import { sql } from 'drizzle-orm'
import { describe, expectTypeOf, it } from 'vitest'
import type { Table } from '../../lib/index.ts'
import {
  base,
  type Claims,
  defineTable,
  depot,
  depotInRegion,
  label,
  parcels,
  plain,
  regions,
} from '../support/parcels/typed-parcels.ts'

describe('a definition whose names are all right', () => {
  it('compiles, with attributes, relations to any depth, computed and virtual columns', () => {
    const table = defineTable({
      ...base,
      relations: { depot: depotInRegion },
      computed: { heavy: sql<boolean>`${parcels.weight} > 5` },
      columns: {
        id: { label },
        weight: { label, type: 'number' },
        depot__city: { label },
        depot__region__name: { label },
        heavy: { label, type: 'boolean' },
        summary: { label, value: (row) => `${row.weight} ${row.depot__city}` },
        actions: { label, type: 'actions' },
      },
      sortables: ['weight', 'depot__region__name', 'heavy'],
      defaultSort: ['sent_at', 'desc'],
      filters: { weight: { type: 'number', label }, anything: { type: 'text', label, source: 'depot__region__name' } },
    })
    expectTypeOf(table).toExtend<Table<Claims>>()
  })
})

describe('a name that does not exist is refused', () => {
  it('is refused in its place, and nothing else is', () => {
    defineTable({
      ...base,
      columns: {
        weight: { label },
        // @ts-expect-error: the compiler names it and says what a column without a source has
        weigth: { label, type: 'number' },
        // @ts-expect-error: also beside a format
        prize: { label, format: () => '' },
        note: { label },
      },
      sortables: [
        'weight',
        // @ts-expect-error: the compiler offers "note" and "weight"
        'notes',
        'note',
      ],
      filters: {
        weight: { type: 'number', label },
        // @ts-expect-error: the compiler names it and says that it needs a source
        weigth: { type: 'number', label },
      },
    })
  })

  it('is refused as a column', () => {
    // @ts-expect-error: neither an attribute nor a virtual column, which would have a value
    defineTable({ ...base, columns: { weigth: { label } } })
  })

  it('is refused as an attribute of a relation', () => {
    // @ts-expect-error: depots have a city
    defineTable({ ...base, relations: { depot }, columns: { depot__citty: { label } } })
  })

  it('is refused as an attribute of a relation of a relation', () => {
    const relations = { depot: depotInRegion } as const
    defineTable({ ...base, relations, columns: { depot__region__name: { label } } })
    // @ts-expect-error: regions have a name
    defineTable({ ...base, relations, columns: { depot__region__nmae: { label } } })
  })

  it('is refused as a relation', () => {
    // @ts-expect-error: the relation is called depot
    defineTable({ ...base, relations: { depot }, columns: { depott__city: { label } } })
  })

  it('is refused as the key', () => {
    // @ts-expect-error: parcels have an id
    defineTable({ ...plain, key: 'idd' })
  })

  it('is refused as a sortable that is no column, or is one without a source', () => {
    // @ts-expect-error: weight is an attribute, but no column of this table
    defineTable({ ...plain, sortables: ['weight'] })
    // @ts-expect-error: a virtual column has nothing that the database could sort by
    defineTable({ ...base, columns: { length: { label, value: () => 1 } }, sortables: ['length'] })
  })

  it('is refused as the default sort', () => {
    defineTable({ ...plain, defaultSort: ['sent_at', 'desc'] })
    // @ts-expect-error: parcels are sent at sent_at
    defineTable({ ...plain, defaultSort: ['send_at', 'desc'] })
    // @ts-expect-error: there are two directions
    defineTable({ ...plain, defaultSort: ['sent_at', 'down'] })
  })

  it('is refused as the source of a filter', () => {
    defineTable({ ...plain, filters: { heavy: { type: 'number', label, source: 'weight' } } })
    // @ts-expect-error: the filter's name is no source, and it names none
    defineTable({ ...plain, filters: { heavy: { type: 'number', label } } })
    // @ts-expect-error: the source that it names does not exist
    defineTable({ ...plain, filters: { heavy: { type: 'number', label, source: 'weigth' } } })
    // @ts-expect-error: nor does it for an advanced filter
    defineTable({ ...plain, advancedFilters: { heavy: { type: 'number', label, source: 'weigth' } } })
  })

  it('is refused on either side of a join', () => {
    defineTable({ ...plain, relations: { depot: { table: regions, on: { depot_id: 'id' } } } })
    // @ts-expect-error: the local attribute is depot_id
    defineTable({ ...plain, relations: { depot: { table: regions, on: { depot: 'id' } } } })
    // @ts-expect-error: the related attribute is id
    defineTable({ ...plain, relations: { depot: { table: regions, on: { depot_id: 'ident' } } } })
  })

  it('is refused on either side of a join of a join', () => {
    const region = { table: regions, on: { region: 'id' } } as const
    // @ts-expect-error: the local attribute, one of depots, is region_id
    defineTable({ ...plain, relations: { depot: { ...depot, relations: { region } } } })
  })

  it('is refused as an operator, a type or a default action', () => {
    defineTable({ ...plain, filters: { weight: { type: 'number', label, operators: ['='] } } })
    // @ts-expect-error: no filter has this operator
    defineTable({ ...plain, filters: { weight: { type: 'number', label, operators: ['=='] } } })
    // @ts-expect-error: there is no such type of column
    defineTable({ ...base, columns: { weight: { label, type: 'money' } } })
    // @ts-expect-error: there is no such default action
    defineTable({ ...plain, defaultActions: { export_pdf: false } })
  })
})
