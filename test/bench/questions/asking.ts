import assert from 'node:assert/strict'
import type { ApiResponse } from '../../support/requests/api.ts'
import { benchFlights, createBenchRegistry } from '../bench-registry.ts'
import { countSql, firstPageSql } from '../by-hand.ts'
import { type Bench, compareTimes, type Figure, type Question } from '../figure.ts'
import { openProduct } from '../opponents.ts'
import { limitClient, prepare } from '../practical-limit.ts'
import { interleave, measure } from '../rounds.ts'
import { countStatements } from '../statement-count.ts'

const rounds = 11

const registry = createBenchRegistry({
  ...benchFlights,
  columns: {
    ...benchFlights.columns,
    destination: { label: 'To', search: true, sortable: true, collation: 'de' },
  },
  filters: {
    ...benchFlights.filters,
    origin: { options: { search: true } },
    destination: { type: 'text', operators: ['=', 'starts with'] },
    date: { operators: ['>=', 'within'] },
    delay: {
      operators: ['>=', 'not between'],
      formerly: { name: 'late', since: '2026-09-01', sunset: '2027-03-01' },
    },
  },
  advancedFilters: {
    ...benchFlights.advancedFilters,
    folded_destination: { type: 'text', label: 'To', source: 'destination', fold: true },
  },
})

type Json = ApiResponse['json']
type Statements = readonly (readonly [text: string, parameters: readonly string[]])[]

interface Asked {
  readonly name: string
  readonly body: object
  /** The statements by hand, which are pipelined; the last one reads what `value` reads of the response. */
  readonly byHand: Statements | ((response: Json) => Statements)
  readonly value: (response: Json) => readonly (string | number)[]
  /** How many times the duration by hand it may take. */
  readonly most?: number
}

const page = { perPage: 20 }
const fromSfo = 'f.origin = $1'
const pageAndCount = (where: string, ...parameters: string[]): Statements => [
  [firstPageSql(where), parameters],
  [countSql(where), parameters],
]
const readTotal: Asked['value'] = ({ pagination }) => [pagination.total]
const sfo = { filters: [{ field: 'origin', value: 'SFO' }], ...page }

const savedView = '5d0c7e5e-6d0a-4f0e-9a75-0f1f1f6a6f0c'

const saveView = `insert into table_control.views (id, table_name, subject, name, visibility, is_default, query)
  values ('${savedView}', 'flights', 'bench', 'From SFO', 'private', false, '${JSON.stringify({ filters: sfo.filters, per_page: 20 })}')
  on conflict do nothing`

const aggregates = [
  { field: 'delay', fn: 'sum' },
  { field: 'distance', fn: 'avg' },
  { field: 'distance', fn: 'max' },
  { field: 'destination', fn: 'count' },
]

const facets = ['origin__state', 'destination__state', 'distance']

const stateSql = (column: string): string =>
  `(select a.state, count(*) from flights f join airports a on a.iata = f.${column}
    where ${fromSfo} and a.state is not null group by 1 order by 2 desc, 1 limit 101)`

/** The facets in one statement. The service finds the width of the ranges, the statement knows it. */
const facetsSql = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  [
    stateSql('origin'),
    stateSql('destination'),
    `(select (f.distance / ${to - from} * ${to - from})::text, count(*) from flights f where ${fromSfo}
      group by f.distance / ${to - from} order by f.distance / ${to - from})`,
  ].join(' union all ')

const asked: readonly Asked[] = [
  {
    name: 'a group of filters',
    body: {
      ...page,
      filter_groups: {
        all: [
          { any: ['origin', 'destination'].map((field) => ({ field, operator: '=', value: 'SFO' })) },
          { none: [{ field: 'delay', operator: '>=', value: 60 }] },
        ],
      },
    },
    byHand: pageAndCount('(f.origin = $1 or f.destination = $1) and (f.delay >= 60) is not true', 'SFO'),
    value: readTotal,
  },
  {
    name: '`starts with` and `not between`',
    body: {
      ...page,
      filters: [
        { field: 'destination', operator: 'starts with', value: 'sf' },
        { field: 'delay', operator: 'not between', value: [0, 10] },
      ],
    },
    byHand: pageAndCount('f.destination ilike $1 and (f.delay between 0 and 10) is not true', 'sf%'),
    value: readTotal,
  },
  {
    name: 'a period by `within`',
    body: { ...sfo, filters: [...sfo.filters, { field: 'date_from', operator: 'within', value: 'last_200_years' }] },
    byHand: pageAndCount(`${fromSfo} and f.date >= '1800-01-01' and f.date < date_trunc('year', now())`, 'SFO'),
    value: readTotal,
  },
  {
    name: 'groups of months with a total',
    body: { ...sfo, group_by: [{ field: 'date', bucket: 'month' }], aggregates: [{ field: 'delay', fn: 'sum' }] },
    byHand: [
      ...pageAndCount(fromSfo, 'SFO'),
      [`select sum(f.delay) from flights f where ${fromSfo}`, ['SFO']],
      [
        `select count(*), sum(f.delay) from flights f where ${fromSfo} group by date_trunc('month', f.date) order by date_trunc('month', f.date)`,
        ['SFO'],
      ],
    ],
    value: ({ groups }) =>
      groups.flatMap((group: { count: number; aggregates: { delay: { sum: { value: number } } } }) => [
        group.count,
        group.aggregates.delay.sum.value,
      ]),
  },
  {
    name: 'an explanation of two filters',
    body: { ...sfo, filters: [...sfo.filters, { field: 'delay', operator: '>=', value: 60 }], explain: true },
    byHand: [
      ...pageAndCount(`${fromSfo} and f.delay >= 60`, 'SFO'),
      [
        `select count(*) filter (where ${fromSfo} and f.delay >= 60), count(*) filter (where f.delay >= 60),
          count(*) filter (where ${fromSfo}) from flights f`,
        ['SFO'],
      ],
    ],
    value: ({ explain }) => [explain.total, ...explain.without.map(({ total }: { total: number }) => total)],
  },
  {
    name: 'searched options',
    body: { options: { field: 'origin', search: 'sf' }, filters: [{ field: 'delay', operator: '>=', value: 60 }] },
    byHand: [
      [
        `select f.origin, count(*) from flights f where f.delay >= 60 and table_control.fold_text(f.origin) like '%' || $1 || '%' group by 1 order by 1 limit 51`,
        ['sf'],
      ],
    ],
    value: ({ bindings }) => bindings.origin.flatMap((one: { value: string; count: number }) => [one.value, one.count]),
  },
  {
    name: 'a filter with `fold`',
    body: { ...page, filters: [{ field: 'folded_destination', operator: '=', value: 'SFO' }] },
    byHand: pageAndCount('table_control.fold_text(f.destination) = $1', 'sfo'),
    value: readTotal,
  },
  {
    name: 'a filter by its former name',
    body: { ...sfo, filters: [...sfo.filters, { field: 'late', operator: '>=', value: 60 }] },
    byHand: pageAndCount(`${fromSfo} and f.delay >= 60`, 'SFO'),
    value: readTotal,
  },
  {
    name: 'a sort by a collation',
    body: { ...sfo, sorts: [{ field: 'destination', direction: 'asc' }], columns: ['destination'] },
    byHand: [
      [countSql(fromSfo), ['SFO']],
      [`select f.id from flights f where ${fromSfo} order by f.destination collate "de-x-icu", f.id limit 20`, ['SFO']],
    ],
    value: ({ items }) => items.map((item: { id: number }) => item.id),
  },
  {
    name: 'a saved view of one filter',
    body: { view: savedView },
    byHand: pageAndCount(fromSfo, 'SFO'),
    value: readTotal,
  },
  {
    name: 'missing values first, two columns and their raw values',
    body: {
      ...sfo,
      sorts: [{ field: 'delay', direction: 'asc', nulls: 'first' }],
      columns: ['date', 'delay'],
      include: ['raw'],
    },
    byHand: [
      [countSql(fromSfo), ['SFO']],
      [`select f.id, f.delay from flights f where ${fromSfo} order by f.delay nulls first, f.id limit 20`, ['SFO']],
    ],
    value: ({ items }) => items.flatMap((item: { id: number; delay: number }) => [item.id, item.delay]),
  },
  {
    name: 'four aggregates',
    body: { ...sfo, aggregates },
    byHand: [
      ...pageAndCount(fromSfo, 'SFO'),
      [
        `select sum(f.delay), avg(f.distance), max(f.distance), count(f.destination) from flights f where ${fromSfo}`,
        ['SFO'],
      ],
    ],
    value: (response) => aggregates.map(({ field, fn }) => response.aggregates[field][fn].value),
  },
  {
    name: 'facets of two states and of a number',
    body: { ...sfo, facets },
    byHand: (response) => [
      ...pageAndCount(fromSfo, 'SFO'),
      [facetsSql(response.facets.distance.options.at(-1).value), ['SFO']],
    ],
    value: (response) =>
      facets.flatMap((name) =>
        response.facets[name].options.flatMap(({ value, count }: Json) => [value.from ?? value, count]),
      ),
    most: 1.2,
  },
]

async function compare(bench: Bench): Promise<readonly Figure[]> {
  const counted = countStatements()
  const product = openProduct(bench, 1, { ...counted, tables: registry })
  const sql = limitClient(bench.databaseUrl, 1)
  const figures: Figure[] = []
  try {
    await sql.unsafe(saveView)
    for (const { name, body, byHand, value, ...target } of asked) {
      bench.report(name)
      counted.take()
      const response = JSON.parse(await product.call(body))
      const { statements, roundTrips } = counted.take()
      const texts = typeof byHand === 'function' ? byHand(response) : byHand
      const readByHand = () => Promise.all(texts.map(([text, parameters]) => prepare(sql, text, parameters)))
      const rows = (await readByHand()).at(-1) ?? []
      assert.deepEqual(value(response).map(String), rows.flatMap((row) => [...row]).map(String), name)
      const samples = await interleave(rounds, {
        product: () => measure(() => product.call(body)),
        byHand: () => measure(readByHand),
      })
      const more = `; statements: ${statements.length}, round trips: ${roundTrips}`
      figures.push(compareTimes(name, samples.product, ['by hand', samples.byHand], { ...target, more }))
    }
    return figures
  } finally {
    await Promise.all([product.close(), sql.end({ timeout: 1 })])
  }
}

/** Compares the ways of asking that have no question of their own with statements by hand. */
export const asking: Question = {
  id: 'asking',
  asks: 'What do groups of filters, operators, groups of rows, aggregates, facets, explanations, options and sorts cost beside statements by hand?',
  method: `query-table of flights in process on one connection; by hand: page, count and what else is asked as statements of their own, pipelined, with the same numbers, which each run asserts. ${rounds} rounds, alternating.`,
  measure: compare,
}
