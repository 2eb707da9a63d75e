import { describe, expect, it } from 'vitest'
import { publicUrl, startFixtureApi } from '../support/fixtures/fixture-api.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startFixtureApi()

const structure = async (table: string, options = {}) => (await api.get(`load-table/${table}`, options)).json

const bulkByKey = (json: ApiResponse['json']): Record<string, ApiResponse['json']> =>
  Object.fromEntries(json.bulkActions.map((action: { action_key: string }) => [action.action_key, action]))

const base = '/api-table/control-tables'

describe('row actions in the structure', () => {
  it('have every key of an entry', async () => {
    const { rowActions } = await structure('tasks')
    expect(rowActions['mark_done']).toEqual({
      action_key: 'mark_done',
      action_type: 'normal',
      label: 'Mark done',
      button: { label: 'Mark done', btnClasses: ['primary', 'wide'] },
      method: 'post',
      action: {
        api: `${publicUrl}/api${base}/row-table-action/tasks/mark_done`,
        web: `${publicUrl}${base}/row-table-action/tasks/mark_done`,
      },
      url_template: {
        api: `${publicUrl}/api${base}/row-table-action/tasks/mark_done/{id}`,
        web: `${publicUrl}${base}/row-table-action/tasks/mark_done/{id}`,
      },
      onSuccess: 'refetchRow',
      need_confirmation: true,
      confirmation: 'Are you sure?',
      applicableAsBulkAction: true,
      onBulkSuccess: 'refetchData',
      bulk_actions_url: {
        api: `${publicUrl}/api${base}/row-bulk-table-action/tasks/mark_done`,
        web: `${publicUrl}${base}/row-bulk-table-action/tasks/mark_done`,
      },
      showInWeb: true,
      showInMobileApp: true,
      payload_keys: [],
    })
  })

  it.each([
    ['mark_done', 'normal'],
    ['switch', 'toggle'],
    ['open', 'redirect'],
    ['visit', 'external_redirect'],
    ['copy_short', 'copy'],
    ['fill_in', 'custom_control'],
  ])('%s has the type %s', async (key, type) => {
    expect((await structure('tasks')).rowActions[key]).toMatchObject({ action_key: key, action_type: type })
  })

  it('only bulk-applicable ones have a bulk URL and onBulkSuccess', async () => {
    const { rowActions } = await structure('tasks')
    expect(rowActions.internal).toMatchObject({ applicableAsBulkAction: true, onBulkSuccess: 'reload' })
    expect(rowActions.switch.applicableAsBulkAction).toBe(false)
    expect(rowActions.switch).not.toHaveProperty('bulk_actions_url')
    expect(rowActions.switch).not.toHaveProperty('onBulkSuccess')
  })

  it.each([
    ['discard', 'deleteRow', 'deleteRow'],
    ['archive', 'deleteRow', 'reload'],
    ['flag', 'refetchRow', 'refetchData'],
    ['hand_over', 'refetchData', 'no_action'],
  ])('%s, whose onSuccess is %s, has the onBulkSuccess %s', async (key, onSuccess, onBulkSuccess) => {
    expect((await structure('orders')).rowActions[key]).toMatchObject({ onSuccess, onBulkSuccess })
  })

  it('always include show_details, merged with the table’s own', async () => {
    const { rowActions } = await structure('tasks')
    expect(Object.keys(rowActions)).toEqual(expect.arrayContaining(['show_details', 'mark_done', 'switch']))
    expect((await structure('bare')).rowActions).toMatchObject({ show_details: { onSuccess: 'DisplayOnModal' } })
  })

  it('a table’s own action takes the place of a default one of the same key', async () => {
    const { rowActions } = await structure('redeclared')
    expect(Object.keys(rowActions)).toEqual(['show_details'])
    expect(rowActions.show_details).toMatchObject({ label: 'Look closer', onSuccess: 'reload' })
  })

  it('an action that the table does not have for this request is absent', async () => {
    const json = await structure('tasks')
    expect(json.rowActions).not.toHaveProperty('never')
    expect(bulkByKey(json)).not.toHaveProperty('never')
    expect(await structure('quiet')).toMatchObject({ rowActions: {}, bulkActions: [] })
  })

  it('have labels in the language of the caller, made of the key where there is none', async () => {
    const { rowActions } = await structure('tasks', { headers: { ln: 'ar' } })
    expect(rowActions).toMatchObject({
      mark_done: { label: 'تم', button: { label: 'تم' }, confirmation: 'هل أنت متأكد؟' },
      copy_short: { label: 'Copy short' },
      show_details: { label: 'عرض التفاصيل' },
    })
  })
})

describe('bulk actions in the structure', () => {
  it('have every key of an entry', async () => {
    expect(bulkByKey(await structure('tasks'))['send_report']).toEqual({
      action_key: 'send_report',
      label: 'Send report',
      button: { label: 'Send report', btnClasses: [] },
      method: 'post',
      action: {
        api: `${publicUrl}/api${base}/bulk-table-action/tasks/send_report`,
        web: `${publicUrl}${base}/bulk-table-action/tasks/send_report`,
      },
      payload_keys: ['selected_ids', 'filters', 'emails'],
      need_confirmation: true,
      confirmation: 'Really?',
      action_response: 'email',
      onSuccess: 'no_action',
      showInWeb: true,
      showInMobileApp: true,
    })
  })

  it.each([
    ['export_excel', 'instant', ['selected_ids', 'filters']],
    ['notify', 'notification', ['selected_ids', 'filters']],
    ['broadcast', 'websocket', ['selected_ids', 'filters']],
  ])('%s answers by %s', async (key, action_response, payload_keys) => {
    expect(bulkByKey(await structure('tasks'))[key]).toMatchObject({ action_response, payload_keys })
  })

  it.each([
    ['export_excel', 'Export Excel', 'تصدير إلى Excel'],
    ['export_csv', 'Export CSV', 'تصدير إلى CSV'],
    ['notified_report', 'Prepare an export', 'إعداد ملف للتصدير'],
    ['pushed_report', 'Export with progress', 'تصدير مع متابعة التقدم'],
  ])('the export %s without a label has that of its kind in both languages', async (key, english, arabic) => {
    const [inEnglish, inArabic] = await Promise.all([structure('lines'), structure('lines', { headers: { ln: 'ar' } })])
    expect(bulkByKey(inEnglish)[key]).toMatchObject({ label: english, button: { label: english } })
    expect(bulkByKey(inArabic)[key]).toMatchObject({ label: arabic, button: { label: arabic } })
  })

  it('a report by e-mail without a label is called so in both languages', async () => {
    expect(bulkByKey(await structure('scoped_orders'))['report'].label).toBe('Report by e-mail')
    expect(bulkByKey(await structure('scoped_orders', { headers: { ln: 'ar' } }))['report'].label).toBe(
      'تقرير بالبريد الإلكتروني',
    )
  })

  it('always include export_excel, under its slug', async () => {
    expect(bulkByKey(await structure('bare'))).toMatchObject({ export_excel: { label: 'Export Excel' } })
  })
})

describe('URLs of actions', () => {
  it('carry the slug of the action’s key, with the method in lower case', async () => {
    const { rowActions } = await structure('tasks')
    for (const [key, action] of Object.entries<ApiResponse['json']>(rowActions)) {
      expect(action.action_key).toBe(key)
      expect(action.action.api.endsWith(`/tasks/${key}`)).toBe(true)
      expect(action.method).toBe('post')
    }
  })

  it('are the same in a structure of the web guard: api with its prefix, web without', async () => {
    const [onApi, onWeb] = await Promise.all([structure('tasks'), structure('tasks', { guard: 'web' })])
    expect(onWeb.rowActions.mark_done.action).toEqual(onApi.rowActions.mark_done.action)
    expect(bulkByKey(onWeb)['notify'].action).toEqual(bulkByKey(onApi)['notify'].action)
  })

  it('are relative with ACTION_URLS=relative', async () => {
    const { json } = await api.variant({ ACTION_URLS: 'relative' }).get('load-table/tasks')
    expect(json.rowActions.mark_done.action).toEqual({
      api: `/api${base}/row-table-action/tasks/mark_done`,
      web: `${base}/row-table-action/tasks/mark_done`,
    })
  })

  it('name no web URL while the guard web is off, in the structure, in rows and in the list of tables', async () => {
    const variant = api.variant({ GUARDS: 'api' })
    const { json } = await variant.get('load-table/tasks/true')
    const inRows = json.data.flatMap(({ actions }: { actions: object }) => Object.values(actions))
    const entries = [...Object.values<ApiResponse['json']>(json.rowActions), ...json.bulkActions, ...inRows]
    for (const { action, bulk_actions_url } of entries) {
      expect(Object.keys(action)).toEqual(['api'])
      if (bulk_actions_url !== undefined) expect(Object.keys(bulk_actions_url)).toEqual(['api'])
    }
    const [row] = json.data
    expect((await variant.post(`row-table-action/tasks/show_details/${row.id}`)).status).toBe(200)
    expect(row.actions.show_details.action.api).toMatch(new RegExp(`/show_details/${row.id}$`))
  })

  it('are absolute on the host of the request where no public URL is set', async () => {
    const { json } = await api.variant({ PUBLIC_URL: '' }).get('load-table/tasks')
    expect(new URL(json.rowActions.mark_done.action.api).protocol).toBe('https:')
  })
})
