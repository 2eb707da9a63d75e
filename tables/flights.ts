import { everyRow } from '#lib'
import { findAirportOptions } from './airport-options.ts'
import { defineTable } from './identity.ts'
import { airports, flights } from './schema/index.ts'
import { usStates } from './us-states.ts'

/** Domestic flights with the places they connect, for everybody who is signed in. */
export const flightsTable = defineTable({
  name: 'flights',
  label: { en: 'Flights', ar: 'الرحلات' },
  from: flights,
  key: 'id',
  relations: {
    origin: { table: airports, on: { origin: 'iata' } },
    destination: { table: airports, on: { destination: 'iata' } },
  },
  scope: everyRow,
  // Sorts by places read both relations of every row.
  pageBudgetMs: 4_000,

  columns: {
    id: { label: { en: 'ID', ar: 'المعرف' }, showable: false },
    date: { label: { en: 'Departure', ar: 'وقت المغادرة' } },
    origin: { label: { en: 'From', ar: 'مطار المغادرة' }, sortable: true, search: true },
    origin__city: { label: { en: 'From city', ar: 'مدينة المغادرة' }, sortable: true, search: true },
    origin__state: { label: { en: 'From state', ar: 'ولاية المغادرة' }, sortable: true },
    destination: { label: { en: 'To', ar: 'مطار الوصول' }, sortable: true, search: true },
    destination__city: { label: { en: 'To city', ar: 'مدينة الوصول' }, sortable: true, search: true },
    destination__state: { label: { en: 'To state', ar: 'ولاية الوصول' }, sortable: true },
    delay: { label: { en: 'Delay (min)', ar: 'التأخير (دقيقة)' } },
    distance: { label: { en: 'Distance (mi)', ar: 'المسافة (ميل)' } },
  },
  // Offered first, in this order; the sortable columns follow.
  sortables: ['date', 'delay', 'distance'],
  defaultSort: ['date', 'desc'],

  filters: {
    origin__state: { options: usStates },
    origin: { options: 'bindings' },
    destination__state: { options: usStates },
    destination: { options: 'bindings' },
    date: { min: '2001-01-01', max: '2001-07-01' },
    delay: {},
  },
  advancedFilters: {
    distance: { operators: ['between', '=', '<=', '>='] },
    origin__city: {},
    destination__city: {},
  },
  bindings: {
    origin: ({ db, filters }) => findAirportOptions(db, filters['origin__state'], flights.origin),
    destination: ({ db, filters }) => findAirportOptions(db, filters['destination__state'], flights.destination),
  },

  bulkActions: {
    export_csv: { export: 'csv', onSuccess: 'downloadData' },
    email_report: { response: 'email', export: 'excel' },
    prepare_export: { response: 'notification', export: 'excel' },
    export_live: { response: 'websocket', export: 'excel' },
  },
})
