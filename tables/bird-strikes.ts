import { eq, inArray, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { and } from '#lib'
import { concludeReminders, remindAssignees } from './assignee-reminders.ts'
import { damages, phases, sizes, statuses, timesOfDay } from './bird-strike-words.ts'
import { defineTable } from './identity.ts'
import { birdStrikes } from './schema/index.ts'

/** A number from 0 to 100 made of the cost of a strike, the speed of the aircraft and its damage. */
const risk = sql`least(100, ${birdStrikes.cost_total} / 10000 + coalesce(${birdStrikes.speed_knots}, 0) / 10
  + case when ${birdStrikes.damage} = 'None' then 0 else 30 end)`

/**
 * The work list of reported bird strikes: an analyst sees the states of the token's `states`, a supervisor sees all.
 */
export const birdStrikesTable = defineTable({
  name: 'bird_strikes',
  label: { en: 'Bird strikes', ar: 'اصطدامات الطيور' },
  from: birdStrikes,
  key: 'id',
  params: z.object({ state: z.optional(z.string().check(z.maxLength(100))) }),
  scope: ({ identity: { claims }, params: { state } }) =>
    and(
      eq(birdStrikes.archived, false),
      claims.role === 'supervisor' ? undefined : inArray(birdStrikes.origin_state, [...claims.states]),
      // A page of one state: its actions, reports and totals are of that state, too.
      state === undefined ? undefined : eq(birdStrikes.origin_state, state),
    ),

  columns: {
    id: { label: { en: 'ID', ar: 'المعرف' }, sortable: true },
    flight_date: { label: { en: 'Flight date', ar: 'تاريخ الرحلة' }, sortable: true },
    airport_name: { label: { en: 'Airport', ar: 'المطار' }, sortable: true, search: true, type: 'text_truncate' },
    origin_state: { label: { en: 'State', ar: 'الولاية' }, sortable: true },
    operator: { label: { en: 'Operator', ar: 'المشغّل' }, search: true },
    aircraft_model: { label: { en: 'Aircraft', ar: 'الطائرة' } },
    species: { label: { en: 'Species', ar: 'النوع' }, sortable: true, search: true },
    wildlife_size: { label: { en: 'Size', ar: 'الحجم' }, values: sizes },
    phase: { label: { en: 'Phase of flight', ar: 'مرحلة الطيران' }, values: phases },
    time_of_day: { label: { en: 'Time of day', ar: 'الفترة من اليوم' }, values: timesOfDay },
    speed_knots: { label: { en: 'Speed (knots)', ar: 'السرعة (عقدة)' }, sortable: true },
    damage: { label: { en: 'Damage', ar: 'الضرر' }, sortable: true, values: damages },
    cost_total: { label: { en: 'Cost (USD)', ar: 'التكلفة (دولار)' }, sortable: true },
    status: { label: { en: 'Status', ar: 'الحالة' }, sortable: true, values: statuses },
    flagged: { label: { en: 'Flagged', ar: 'مميَّز بعلامة' } },
    risk: { label: { en: 'Risk', ar: 'الخطورة' }, sortable: true },
    assignee: { label: { en: 'Assignee', ar: 'المكلَّف' }, sortable: true, editable: true },
    note: { label: { en: 'Note', ar: 'ملاحظة' }, search: true, type: 'text_truncate', editable: true },
    reviewed_at: { label: { en: 'Reviewed at', ar: 'وقت المراجعة' }, sortable: true },
  },
  defaultSort: ['flight_date', 'desc'],

  filters: {
    status: {},
    flagged: {},
    origin_state: { operators: ['=', 'like', 'not like', 'starts with', 'ends with', 'is null', 'is not null'] },
    airport_name: {},
    flight_date: { operators: ['>=', 'within'] },
  },
  advancedFilters: {
    species: { fold: true },
    aircraft_model: { type: 'multi_select', options: { search: true } },
    damage: { type: 'multi_select' },
    cost_total: { operators: ['>=', '<=', '=', 'between', 'not between'] },
    speed_knots: { operators: ['=', '<=', '>=', 'is null', 'is not null'] },
    reviewed_at: { operators: ['>=', 'within', 'is null', 'is not null'] },
    assigned: {
      type: 'null',
      label: { en: 'Assigned', ar: 'مكلَّف به' },
      source: 'assignee',
      labels: { set: { en: 'Somebody', ar: 'شخص ما' }, notSet: { en: 'Nobody', ar: 'لا أحد' } },
    },
  },

  rowActions: {
    mark_reviewed: {
      label: { en: 'Mark reviewed', ar: 'تعيين كمُراجَع' },
      appliesTo: (row) => row.status === 'open',
      bulk: true,
      runAll: ({ db, where }) =>
        db.update(birdStrikes).set({ status: 'reviewed', reviewed_at: sql`now()` }).where(where),
    },
    flag: {
      label: { en: 'Flag', ar: 'تمييز بعلامة' },
      type: 'toggle',
      current: (row) => row.flagged,
      run: ({ db, row, where }) => db.update(birdStrikes).set({ flagged: !row.flagged }).where(where),
    },
    assign: {
      label: { en: 'Assign', ar: 'تكليف' },
      form: z.object({ assignee: z.string().check(z.trim(), z.minLength(1), z.maxLength(100)) }),
      formLabels: { assignee: { en: 'Assignee', ar: 'المكلَّف' } },
      bulk: true,
      preview: true,
      runAll: ({ db, where, input: { assignee } }) => db.update(birdStrikes).set({ assignee }).where(where),
    },
    write_note: {
      label: { en: 'Write a note', ar: 'كتابة ملاحظة' },
      form: z.object({ note: z.string().check(z.trim(), z.maxLength(2_000)) }),
      formLabels: { note: { en: 'Note', ar: 'ملاحظة' } },
      formValues: (row) => ({ note: row.note ?? '' }),
      onSuccess: 'OpenModalForm',
      run: ({ db, where, input }) => {
        const note = input.note || null
        return db.update(birdStrikes).set({ note }).where(where)
      },
    },
    archive: {
      label: { en: 'Archive', ar: 'أرشفة' },
      confirm: { en: 'Archive? What is archived leaves the list.', ar: 'هل تريد الأرشفة؟ ما يُؤرشَف يختفي من القائمة.' },
      onSuccess: 'deleteRow',
      bulk: true,
      runAll: ({ db, where }) => db.update(birdStrikes).set({ archived: true }).where(where),
    },
  },

  bulkActions: {
    email_report: { response: 'email', export: 'excel' },
    notify_assignees: {
      label: { en: 'Notify assignees', ar: 'إشعار المكلَّفين' },
      response: 'notification',
      // One chunk for all rows, so that every assignee gets a single notification.
      chunk: 20_000,
      run: async ({ db, rows }) => ({ data: await remindAssignees(db, rows) }),
      conclude: concludeReminders,
    },
    recompute_risk: {
      label: { en: 'Recompute risk', ar: 'إعادة حساب الخطورة' },
      response: 'websocket',
      onSuccess: 'refetchData',
      chunk: 250,
      run: async ({ db, where }) => {
        // Takes as long as a model that scores rows, so that there is progress to watch.
        await db.execute(sql`select pg_sleep(0.05)`)
        await db.update(birdStrikes).set({ risk }).where(where)
      },
    },
  },
})
