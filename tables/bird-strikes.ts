import { inArray } from 'drizzle-orm'
import { everyRow } from '#lib'
import { defineTable } from './identity.ts'
import { birdStrikes } from './schema/index.ts'

/** The work list of reported bird strikes: an analyst sees the states of the token's `states`, a supervisor sees all. */
export const birdStrikesTable = defineTable({
  name: 'bird_strikes',
  label: { en: 'Bird strikes', ar: 'اصطدامات الطيور' },
  from: birdStrikes,
  key: 'id',
  scope: ({ identity: { claims } }) =>
    claims.role === 'supervisor' ? everyRow() : inArray(birdStrikes.origin_state, [...claims.states]),

  columns: {
    id: { label: { en: 'ID', ar: 'المعرف' } },
    flight_date: { label: { en: 'Flight date', ar: 'تاريخ الرحلة' } },
    airport_name: { label: { en: 'Airport', ar: 'المطار' }, type: 'text_truncate' },
    origin_state: { label: { en: 'State', ar: 'الولاية' } },
    operator: { label: { en: 'Operator', ar: 'المشغّل' } },
    aircraft_model: { label: { en: 'Aircraft', ar: 'الطائرة' } },
    species: { label: { en: 'Species', ar: 'النوع' } },
    wildlife_size: { label: { en: 'Size', ar: 'الحجم' } },
    phase: { label: { en: 'Phase of flight', ar: 'مرحلة الطيران' } },
    time_of_day: { label: { en: 'Time of day', ar: 'وقت اليوم' } },
    speed_knots: { label: { en: 'Speed (knots)', ar: 'السرعة (عقدة)' } },
    damage: { label: { en: 'Damage', ar: 'الضرر' } },
    cost_total: { label: { en: 'Cost (USD)', ar: 'التكلفة (دولار)' } },
    status: {
      label: { en: 'Status', ar: 'الحالة' },
      type: 'text',
      values: {
        open: { label: { en: 'Open', ar: 'مفتوح' }, style: 'warning' },
        reviewed: { label: { en: 'Reviewed', ar: 'تمت مراجعته' }, style: 'success' },
      },
    },
    flagged: { label: { en: 'Flagged', ar: 'معلّم' } },
    assignee: { label: { en: 'Assignee', ar: 'المكلّف' } },
    note: { label: { en: 'Note', ar: 'ملاحظة' }, type: 'text_truncate' },
    reviewed_at: { label: { en: 'Reviewed at', ar: 'وقت المراجعة' } },
    actions: { label: { en: 'Actions', ar: 'الإجراءات' }, type: 'actions' },
  },
  sortables: [
    'id',
    'flight_date',
    'airport_name',
    'origin_state',
    'species',
    'speed_knots',
    'damage',
    'cost_total',
    'status',
    'assignee',
    'reviewed_at',
  ],
  defaultSort: ['flight_date', 'desc'],

  filters: {
    status: {
      type: 'select',
      label: { en: 'Status', ar: 'الحالة' },
      options: { open: { en: 'Open', ar: 'مفتوح' }, reviewed: { en: 'Reviewed', ar: 'تمت مراجعته' } },
    },
    flagged: { type: 'boolean', label: { en: 'Flagged', ar: 'معلّم' } },
    origin_state: { type: 'text', label: { en: 'State', ar: 'الولاية' } },
    airport_name: { type: 'text', label: { en: 'Airport', ar: 'المطار' } },
    flight_date: { type: 'date', label: { en: 'Flight date', ar: 'تاريخ الرحلة' } },
  },
  advancedFilters: {
    species: { type: 'text', label: { en: 'Species', ar: 'النوع' } },
    damage: {
      type: 'multi_select',
      label: { en: 'Damage', ar: 'الضرر' },
      options: {
        None: { en: 'None', ar: 'لا شيء' },
        Minor: { en: 'Minor', ar: 'طفيف' },
        Medium: { en: 'Medium', ar: 'متوسط' },
        Substantial: { en: 'Substantial', ar: 'جسيم' },
        C: { en: 'Destroyed', ar: 'تدمير' },
      },
    },
    cost_total: {
      type: 'number',
      label: { en: 'Cost (USD)', ar: 'التكلفة (دولار)' },
      operators: ['>=', '<=', '=', 'between'],
    },
    speed_knots: { type: 'number', label: { en: 'Speed (knots)', ar: 'السرعة (عقدة)' } },
    assigned: {
      type: 'null',
      label: { en: 'Assigned', ar: 'مكلّف به' },
      source: 'assignee',
      labels: { set: { en: 'Somebody', ar: 'شخص ما' }, notSet: { en: 'Nobody', ar: 'لا أحد' } },
    },
  },

  rowActions: {
    mark_reviewed: {
      label: { en: 'Mark reviewed', ar: 'وضع علامة تمت المراجعة' },
      appliesTo: (row) => row.status === 'open',
      onSuccess: 'refetchRow',
      bulk: true,
    },
    flag: {
      label: { en: 'Flag', ar: 'تعليم' },
      type: 'toggle',
      current: (row) => row.flagged,
      onSuccess: 'refetchRow',
    },
  },
})
