import { describe, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startFixtureApi()

async function listColumns(table: string, ln = 'en'): Promise<Record<string, ApiResponse['json']>> {
  const { json } = await api.get(`load-table/${table}`, { headers: { ln } })
  return Object.fromEntries(json.columns.map((column: { label: string }) => [column.label, column]))
}

describe('a column entry', () => {
  it('has the keys that every type shares', async () => {
    for (const column of Object.values(await listColumns('samples'))) {
      expect(column).toMatchObject({
        type: expect.any(String),
        label: expect.any(String),
        data_src: expect.any(String),
        sortable: expect.any(Boolean),
        showable: expect.any(Boolean),
        showInMobileApp: expect.any(Boolean),
        loadIf: true,
      })
      expect(column.name === null || typeof column.name === 'string').toBe(true)
    }
  })

  it('has a type that every client draws, for every type that an author can declare', async () => {
    const drawn = ['text', 'text_truncate', 'link', 'boolean', 'html', 'datalist', 'barcode', 'actions']
    for (const table of ['samples', 'products', 'devices', 'visits']) {
      for (const { type, label } of Object.values(await listColumns(table))) expect(drawn, label).toContain(type)
    }
  })

  it('is showable and shown in the mobile app unless its author says otherwise', async () => {
    const columns = await listColumns('products')
    expect(columns).toMatchObject({
      ID: { showable: false, showInMobileApp: true },
      Name: { showable: true, showInMobileApp: true },
      Stock: { showable: true, showInMobileApp: false },
    })
  })

  it('has a minWidth, which is none where its author set none', async () => {
    const columns = await listColumns('products')
    expect(columns['Name'].minWidth).toBe('10rem')
    expect(columns['Stock'].minWidth).toBe('0px')
  })

  it('has its key as name, a name of its own, or null', async () => {
    const columns = await listColumns('products')
    expect(columns).toMatchObject({ Stock: { name: 'stock' }, Name: { name: 'product_name' }, kg: { name: null } })
  })

  it('a relation column joins relation and attribute by two underscores, to any depth', async () => {
    const columns = await listColumns('products')
    expect(columns).toMatchObject({
      Supplier: { data_src: 'supplier__name' },
      Country: { data_src: 'supplier__home__name' },
    })
  })

  it.each([
    ['Short', 'text', { values_formating: { open: { showValue: 'Open', style: 'warning' } } }],
    ['Markup', 'html', { value_type: 'text' }],
    ['Exact', 'text', { value_type: 'number', values_formating: {}, decimals: 2 }],
    ['Big', 'text', { value_type: 'number', values_formating: {}, decimals: null }],
    [
      'Flag',
      'boolean',
      { values_formating: { trueBool: 'info', falseBool: 'danger', trueLabel: 'On', falseLabel: 'OFF' } },
    ],
    ['Day', 'text', { value_type: 'date', values_formating: {}, format: 'dd.MM.yyyy' }],
    ['At', 'text', { value_type: 'datetime', values_formating: {}, format: 'yyyy-MM-dd HH:mm' }],
    ['Words', 'datalist', { value_type: 'list', linkText: '' }],
    ['Picture', 'link', { value_type: 'image', linkStyle: 'text', linkText: '', linkColor: null, showCopyBtn: false }],
    ['Address', 'link', { linkStyle: 'button', linkText: 'Open', linkColor: 'blue', showCopyBtn: true }],
    ['Anchor', 'link', { linkStyle: 'text', linkText: '', linkColor: null, showCopyBtn: false }],
    ['Unit', 'barcode', {}],
    ['Details', 'text', { values_formating: {} }],
    ['Place', 'text', { value_type: 'number', decimals: null }],
    ['Actions', 'actions', { data_src: 'NA' }],
  ])('%s is of the type %s, with the keys of that type', async (label, type, keys) => {
    expect((await listColumns('samples'))[label]).toMatchObject({ type, ...keys })
  })

  it('gets its type from the database where its author names none', async () => {
    const columns = await listColumns('products')
    expect(columns).toMatchObject({
      ID: { type: 'text', value_type: 'number' },
      Name: { type: 'text', value_type: 'text' },
      kg: { type: 'text', value_type: 'number' },
      Active: {
        type: 'boolean',
        value_type: 'boolean',
        values_formating: { trueBool: 'success', falseBool: 'danger', trueLabel: 'Yes', falseLabel: 'No' },
      },
      'Made on': { type: 'text', value_type: 'date', format: 'yyyy-MM-dd' },
    })
    expect((await listColumns('devices'))['Serial']).toMatchObject({ type: 'text' })
  })

  it('has its texts in the language of the caller', async () => {
    expect((await listColumns('products', 'ar'))['الفئة'].values_formating).toEqual({
      tool: { showValue: 'أداة', style: 'info' },
      food: { showValue: 'طعام', style: 'success' },
      toy: { showValue: 'TOY' },
    })
    const samples = await listColumns('samples', 'ar')
    expect(samples).toMatchObject({ Flag: { values_formating: { trueLabel: 'يعمل', falseLabel: 'OFF' } } })
    expect(samples).toMatchObject({ Address: { linkText: 'افتح' } })
  })
})
