import { everyRow } from '../../lib/index.ts'
import { defineFixture } from './fixture-identity.ts'
import { devices, documents, ledger, samples, visits } from './fixture-schema.ts'

export const ledgerTable = defineFixture({
  name: 'ledger',
  from: ledger,
  key: 'id',
  scope: everyRow,
  columns: { id: { label: 'ID' }, amount: { label: 'Amount' }, units: { label: 'Units' } },
  sortables: ['id', 'amount', 'units'],
  filters: {
    id: { type: 'number', label: 'ID', operators: ['=', '!=', '<', '<=', '>', '>=', 'in', 'not in', 'between'] },
    amount: { type: 'number', label: 'Amount', operators: ['=', '<', '>', 'in', 'between'] },
  },
})

export const documentsTable = defineFixture({
  name: 'documents',
  from: documents,
  key: 'path',
  scope: everyRow,
  columns: { path: { label: 'Path' }, title: { label: 'Title' } },
  sortables: ['path'],
})

export const devicesTable = defineFixture({
  name: 'devices',
  from: devices,
  key: 'serial',
  scope: everyRow,
  columns: { serial: { label: 'Serial' }, label: { label: 'Label' } },
  filters: { serial: { type: 'select', label: 'Serial', options: 'bindings', operators: ['=', 'in', '!='] } },
  bindings: { serial: () => [] },
})

const everyDateOperator = ['=', '!=', '<', '<=', '>', '>=', 'between'] as const

export const visitsTable = defineFixture({
  name: 'visits',
  from: visits,
  key: 'id',
  scope: everyRow,
  timeZone: 'Asia/Riyadh',
  columns: {
    id: { label: 'ID' },
    at: { label: 'At', type: 'date', pattern: 'yyyy-MM-dd HH:mm:ss' },
    clock: { label: 'Clock', type: 'date', pattern: 'dd/MM/yyyy HH:mm' },
    day: { label: 'Day' },
  },
  sortables: ['at', 'clock', 'day'],
  filters: {
    at: { type: 'date', label: 'At', operators: everyDateOperator },
    clock: { type: 'date', label: 'Clock', operators: everyDateOperator },
    day: { type: 'date', label: 'Day', operators: everyDateOperator },
  },
})

/** One column of every type, from the database, from a format, from a row and from a page. */
export const samplesTable = defineFixture({
  name: 'samples',
  from: samples,
  key: 'id',
  scope: everyRow,
  columns: {
    short: { label: 'Short', values: { open: { label: { en: 'Open', ar: 'مفتوح' }, style: 'warning' } } },
    markup: { label: 'Markup', type: 'html' },
    exact: { label: 'Exact', type: 'number', decimals: 2 },
    real: { label: 'Real' },
    big: { label: 'Big' },
    flag: {
      label: 'Flag',
      type: 'boolean',
      values: { true: { label: { en: 'On', ar: 'يعمل' }, style: 'info' }, false: 'OFF' },
    },
    day: { label: 'Day', type: 'date', pattern: 'dd.MM.yyyy' },
    at: { label: 'At' },
    words: { label: 'Words' },
    counts: { label: 'Counts' },
    sum: { label: 'Sum', value: ({ counts }) => counts && `${counts.reduce((sum, count) => sum + (count ?? 0n), 0n)}` },
    picture: { label: 'Picture', type: 'image' },
    address: {
      label: 'Address',
      type: 'link',
      linkStyle: 'button',
      linkText: { en: 'Open', ar: 'افتح' },
      linkColor: 'blue',
      showCopyButton: true,
    },
    unit: { label: 'Unit', type: 'barcode' },
    details: { label: 'Details', format: (details) => details?.color ?? null },
    anchor: {
      label: 'Anchor',
      type: 'link',
      value: (row) => (row.address === null ? null : { value: row.address, label: `To ${row.id}` }),
    },
    styled: { label: 'Styled', type: 'html', value: ({ short }) => short && `<i onclick="steal()">${short}</i>` },
    place: { label: 'Place', type: 'number', load: async (rows) => rows.map(({ id }) => id * 10) },
    brief: { label: 'Brief', type: 'text', load: async () => [] },
    actions: { label: 'Actions', type: 'actions', showable: false },
  },
  sortables: ['real', 'big', 'words', 'short'],
})

/** A table that defines no columns. */
export const bareTable = defineFixture({ name: 'bare', from: samples, key: 'id', scope: everyRow, columns: {} })
