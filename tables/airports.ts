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
    iata: { label: { en: 'Code', ar: 'الرمز' }, minWidth: '5rem' },
    name: { label: { en: 'Airport', ar: 'المطار' } },
    city: { label: { en: 'City', ar: 'المدينة' } },
    state: { label: { en: 'State', ar: 'الولاية' } },
    country: { label: { en: 'Country', ar: 'البلد' } },
    latitude: { label: { en: 'Latitude', ar: 'خط العرض' }, decimals: 4, type: 'number' },
    longitude: { label: { en: 'Longitude', ar: 'خط الطول' }, decimals: 4, type: 'number' },
    actions: { label: { en: 'Actions', ar: 'الإجراءات' }, type: 'actions' },
  },
  sortables: ['iata', 'name', 'city', 'state', 'country', 'latitude', 'longitude'],
  defaultSort: ['iata', 'asc'],

  filters: {
    iata: { type: 'text', label: { en: 'Code', ar: 'الرمز' } },
    name: { type: 'text', label: { en: 'Airport', ar: 'المطار' } },
    city: { type: 'text', label: { en: 'City', ar: 'المدينة' } },
    state: { type: 'multi_select', label: { en: 'State', ar: 'الولاية' }, options: usStates },
  },
  advancedFilters: {
    latitude: { type: 'number', label: { en: 'Latitude', ar: 'خط العرض' }, operators: ['between', '<=', '>='] },
    longitude: { type: 'number', label: { en: 'Longitude', ar: 'خط الطول' }, operators: ['between', '<=', '>='] },
    has_city: { type: 'null', label: { en: 'City known', ar: 'المدينة معروفة' }, source: 'city' },
  },
})
