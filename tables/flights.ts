import { eq } from 'drizzle-orm'
import { type AppliedFilter, type DatabaseSession, everyRow } from '#lib'
import { defineTable } from './identity.ts'
import { airports, flights } from './schema/index.ts'
import { usStates } from './us-states.ts'

/** The airports of the chosen state; without one the list would be too long to choose from, so it is empty. */
const airportsIn = (db: DatabaseSession, state: AppliedFilter | undefined) =>
  typeof state?.value !== 'string' || state.value === 'all'
    ? []
    : db
        .select({ value: airports.iata, label: airports.name })
        .from(airports)
        .where(eq(airports.state, state.value))
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
    origin: ({ db, filters }) => airportsIn(db, filters['origin__state']),
    destination: ({ db, filters }) => airportsIn(db, filters['destination__state']),
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
