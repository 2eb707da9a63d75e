import { describe, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'

const api = await startFixtureApi()

const english = 'Required nothing Table Not Exists'
const arabic = 'الجدول المطلوب nothing غير موجود'

const findLanguage = async (headers: Record<string, string>) => {
  const { error, message, errors } = (await api.get('load-table/nothing', { headers })).json
  expect(errors).toEqual([english, arabic])
  expect(message).toBe(error)
  return error === english ? 'en' : error === arabic ? 'ar' : error
}

describe('the caller’s language', () => {
  it.each([
    ['en', {}],
    ['ar', { ln: 'ar' }],
    ['ar', { ln: 'AR' }],
    ['ar', { ln: 'ar-SA' }],
    ['ar', { ln: ' ar_EG ' }],
    ['en', { ln: 'en-GB', 'accept-language': 'ar' }],
    ['en', { ln: 'arz' }],
    ['ar', { LN: ' ar ' }],
    ['ar', { ln: 'ar, ar' }],
    ['en', { ln: 'en' }],
    ['en', { ln: 'fr' }],
    ['en', { ln: '' }],
    ['en', { ln: '__proto__' }],
    ['ar', { 'accept-language': 'ar' }],
    ['ar', { 'accept-language': 'ar-SA,en;q=0.8' }],
    ['en', { 'accept-language': 'en-GB,ar;q=0.8' }],
    ['ar', { 'accept-language': 'fr, de;q=0.9, ar;q=0.1' }],
    ['ar', { 'accept-language': 'en;q=0.1, ar;q=0.2' }],
    ['en', { 'accept-language': 'ar;q=0, fr' }],
    ['en', { 'accept-language': '*' }],
    ['en', { 'accept-language': ';;;,,q=' }],
    ['en', { 'accept-language': 'fr,'.repeat(5_000) }],
    ['en', { ln: 'en', 'accept-language': 'ar' }],
    ['ar', { ln: 'ar', 'accept-language': 'en' }],
    ['ar', { ln: 'fr', 'accept-language': 'ar' }],
  ])('is %s for %j', async (language, headers) => {
    expect(await findLanguage(headers as Record<string, string>)).toBe(language)
  })

  it('picks every text of the structure', async () => {
    const { label, columns } = (await api.get('load-table/products', { headers: { ln: 'ar' } })).json
    expect(label).toBe('المنتجات')
    expect(columns.find((column: { data_src: string }) => column.data_src === 'made_on').label).toBe('تاريخ الصنع')
  })

  it('picks the labels of the actions in rows', async () => {
    const { json } = await api.post('row-refetch/tasks/1', {}, { headers: { ln: 'ar' } })
    expect(json.data.row.actions.mark_done.label).toBe('تم')
  })

  it('picks the messages in `fields`, while `errors` holds both', async () => {
    const { json } = await api.post('query-table/products', { page: 0 }, { headers: { ln: 'ar' } })
    expect(json.fields.page).toEqual(['يجب أن يكون عددًا صحيحًا من 1 إلى 2147483647'])
    expect(json.errors[0]).toBe('page: must be a whole number from 1 to 2147483647')
    expect(json.error).toBe(json.errors[1])
  })

  it('is known to the table’s own code', async () => {
    const { json } = await api.post('query-table/products', {}, { headers: { ln: 'ar' } })
    expect(JSON.parse(json.bindings.seen[0].label).language).toBe('ar')
  })
})
