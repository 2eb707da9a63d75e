import { expect, it } from 'vitest'
import { registry } from '#tables'
import { translate } from '../../../lib/i18n/language.ts'

const stateFilters = [
  ['flights', 'origin__state'],
  ['flights', 'destination__state'],
  ['airports', 'state'],
] as const

it.each(stateFilters)('%s offers the states of %s in English and Arabic', (table, filter) => {
  const definition = registry.tables.get(table)?.filters.get(filter)?.definition
  const options = definition !== undefined && 'options' in definition ? Object.values(definition.options) : []
  const [english, arabic] = (['en', 'ar'] as const).map((language) =>
    options.map((option) => translate(option, language)),
  )
  for (const texts of [english, arabic]) expect(new Set(texts).size).toBe(56)
  for (const text of english ?? []) expect(text).toMatch(/^[A-Z][A-Za-z ]+$/)
  for (const text of arabic ?? []) expect(text).toMatch(/^[\u0600-\u06ff ]+$/)
})
