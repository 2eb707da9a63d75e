import { everyRow } from '#lib'
import { defineTable } from './identity.ts'
import { airports } from './schema/index.ts'
import { usStates } from './us-states.ts'

/** The airports that flights come from and go to, for everybody who is signed in. */
export const airportsTable = defineTable({
  name: 'airports',
  label: { en: 'Airports', ar: 'المطارات' },
  from: airports,
  key: 'iata',
  scope: everyRow,

  columns: {
    iata: { label: { en: 'Code', ar: 'الرمز' }, sortable: true, search: true, minWidth: '5rem' },
    name: { label: { en: 'Airport', ar: 'المطار' }, sortable: true, search: true },
    city: { label: { en: 'City', ar: 'المدينة' }, sortable: true, search: true },
    state: { label: { en: 'State', ar: 'الولاية' }, sortable: true },
    country: { label: { en: 'Country', ar: 'البلد' }, sortable: true },
    latitude: { label: { en: 'Latitude', ar: 'خط العرض' }, sortable: true, type: 'number', decimals: 4 },
    longitude: { label: { en: 'Longitude', ar: 'خط الطول' }, sortable: true, type: 'number', decimals: 4 },
  },
  defaultSort: ['iata', 'asc'],

  filters: { iata: {}, name: {}, city: {}, state: { type: 'multi_select', options: usStates } },
  advancedFilters: {
    latitude: { operators: ['between', '<=', '>='] },
    longitude: { operators: ['between', '<=', '>='] },
    has_city: { type: 'null', label: { en: 'City known', ar: 'المدينة معروفة' }, source: 'city' },
  },
})
