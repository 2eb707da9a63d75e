import { eq, inArray, sql } from 'drizzle-orm'
import { type AppliedFilter, type DatabaseSession, everyRow } from '#lib'
import { defineTable } from './identity.ts'
import { airports, flights } from './schema/index.ts'
import { usStates } from './us-states.ts'

/** The airports at one end of a flight, each found by one step along the index: reading all flights would take 100 times as long. */
const served = (end: typeof flights.origin | typeof flights.destination) => sql`(
  with recursive served as (
    (select ${end} as iata from ${flights} order by 1 limit 1)
    union all
    select (select ${end} from ${flights} where ${end} > served.iata order by 1 limit 1) from served where served.iata is not null
  ) select iata from served where iata is not null)`

/** The airports of the chosen state; without one, those that flights leave from or arrive at. */
const airportsIn = (
  db: DatabaseSession,
  state: AppliedFilter | undefined,
  end: typeof flights.origin | typeof flights.destination,
) =>
  db
    .select({ value: airports.iata, label: airports.name })
    .from(airports)
    .where(
      typeof state?.value !== 'string' || state.value === 'all'
        ? inArray(airports.iata, served(end))
        : eq(airports.state, state.value),
    )
    .orderBy(airports.name)

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

  columns: {
    id: { label: { en: 'ID', ar: 'المعرف' }, showable: false },
    date: { label: { en: 'Departure', ar: 'وقت المغادرة' } },
    origin: { label: { en: 'From', ar: 'مطار المغادرة' } },
    origin__city: { label: { en: 'From city', ar: 'مدينة المغادرة' } },
    origin__state: { label: { en: 'From state', ar: 'ولاية المغادرة' } },
    destination: { label: { en: 'To', ar: 'مطار الوصول' } },
    destination__city: { label: { en: 'To city', ar: 'مدينة الوصول' } },
    destination__state: { label: { en: 'To state', ar: 'ولاية الوصول' } },
    delay: { label: { en: 'Delay (min)', ar: 'التأخير (دقيقة)' } },
    distance: { label: { en: 'Distance (mi)', ar: 'المسافة (ميل)' } },
    actions: { label: { en: 'Actions', ar: 'الإجراءات' }, type: 'actions' },
  },
  sortables: [
    'date',
    'delay',
    'distance',
    'origin',
    'origin__city',
    'origin__state',
    'destination',
    'destination__city',
    'destination__state',
  ],
  defaultSort: ['date', 'desc'],

  filters: {
    origin__state: { type: 'select', label: { en: 'From state', ar: 'ولاية المغادرة' }, options: usStates },
    origin: { type: 'select', label: { en: 'From', ar: 'مطار المغادرة' }, options: 'bindings' },
    destination__state: { type: 'select', label: { en: 'To state', ar: 'ولاية الوصول' }, options: usStates },
    destination: { type: 'select', label: { en: 'To', ar: 'مطار الوصول' }, options: 'bindings' },
    date: { type: 'date', label: { en: 'Departure', ar: 'وقت المغادرة' }, min: '2001-01-01', max: '2001-07-01' },
    delay: { type: 'number', label: { en: 'Delay (min)', ar: 'التأخير (دقيقة)' } },
  },
  advancedFilters: {
    distance: {
      type: 'number',
      label: { en: 'Distance (mi)', ar: 'المسافة (ميل)' },
      operators: ['between', '=', '<=', '>='],
    },
    origin__city: { type: 'text', label: { en: 'From city', ar: 'مدينة المغادرة' } },
    destination__city: { type: 'text', label: { en: 'To city', ar: 'مدينة الوصول' } },
  },
  bindings: {
    origin: ({ db, filters }) => airportsIn(db, filters['origin__state'], flights.origin),
    destination: ({ db, filters }) => airportsIn(db, filters['destination__state'], flights.destination),
  },

  bulkActions: {
    export_csv: {
      label: { en: 'Export CSV', ar: 'تصدير إلى CSV' },
      response: 'instant',
      export: 'csv',
      onSuccess: 'downloadData',
    },
    email_report: {
      label: { en: 'Report by e-mail', ar: 'تقرير بالبريد الإلكتروني' },
      response: 'email',
      export: 'excel',
    },
    prepare_export: {
      label: { en: 'Prepare an export', ar: 'إعداد ملف للتصدير' },
      response: 'notification',
      export: 'excel',
    },
    export_live: {
      label: { en: 'Export with progress', ar: 'تصدير مع متابعة التقدم' },
      response: 'websocket',
      export: 'excel',
    },
  },
})
