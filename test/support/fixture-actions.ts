import * as z from 'zod'
import { everyRow } from '../../lib/index.ts'
import { defineFixture } from './fixture-identity.ts'
import { documents, samples } from './fixture-schema.ts'

const nothing = () => {}

/** Every kind of row action and of bulk action; row 1 is flagged, row 2 is not, row 3 is not either. */
export const tasksTable = defineFixture({
  name: 'tasks',
  from: samples,
  key: 'id',
  scope: everyRow,
  columns: {
    short: { label: 'Short' },
    actions: { label: { en: 'Actions', ar: 'الإجراءات' }, type: 'actions' },
  },
  rowActions: {
    'Mark Done': {
      label: { en: 'Mark done', ar: 'تم' },
      buttonClasses: ['primary', 'wide'],
      confirm: { en: 'Are you sure?', ar: 'هل أنت متأكد؟' },
      onSuccess: 'refetchRow',
      appliesTo: (row) => row.flag === true,
      bulk: true,
      run: nothing,
    },
    switch: { type: 'toggle', current: (row) => row.flag === true, onSuccess: 'refetchData', run: nothing },
    open: { type: 'redirect', to: (row) => `/samples/${row.id}` },
    visit: { type: 'external_redirect', to: (row) => `https://example.test/${row.id}` },
    copy_short: { type: 'copy', copies: (row) => row.short ?? 'nothing' },
    fill_in: {
      type: 'custom_control',
      onSuccess: 'OpenModalForm',
      form: z.object({ title: z.string() }),
      run: nothing,
    },
    internal: { showInWeb: false, bulk: { onSuccess: 'reload' }, run: nothing },
    desk_only: { showInMobileApp: false, run: nothing },
    never: { loadIf: () => false, run: nothing },
  },
  bulkActions: {
    'Send Report': {
      label: { en: 'Send report', ar: 'إرسال التقرير' },
      response: 'email',
      export: 'excel',
      confirm: 'Really?',
    },
    notify: { response: 'notification', onSuccess: 'reload', run: nothing },
    broadcast: { response: 'websocket', run: nothing },
    internal_bulk: { showInWeb: false, run: nothing },
    never: { loadIf: () => false, run: nothing },
  },
})

export const quietTable = defineFixture({
  name: 'quiet',
  from: samples,
  key: 'id',
  scope: everyRow,
  columns: { short: { label: 'Short' } },
  defaultActions: { show_details: false, export_excel: false },
})

/** Declares a default action anew, which replaces it. */
export const redeclaredTable = defineFixture({
  name: 'redeclared',
  from: documents,
  key: 'path',
  scope: everyRow,
  columns: { title: { label: 'Title' }, actions: { label: 'Actions', type: 'actions' } },
  sortables: ['title'],
  rowActions: { 'Show Details': { label: 'Look closer', onSuccess: 'reload', run: nothing } },
})
