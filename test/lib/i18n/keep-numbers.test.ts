import { expect, it } from 'vitest'
import { keepNumbers } from '../../../lib/i18n/keep-numbers.ts'

it.each([
  ['a date', 'حتى 2026-01-31', 'حتى \u200e2026-01-31'],
  ['a date with a time', 'بعد 2026-01-31 08:00', 'بعد \u200e2026-01-31 08:00'],
  ['a date that begins with the day', 'مثل 31-01-2026', 'مثل \u200e31-01-2026'],
  ['a negative number', 'من -5 إلى -1.5', 'من \u200e-5 إلى \u200e-1.5'],
  ['both ends of a range', 'بين 2026-01-01 و2026-02-28', 'بين \u200e2026-01-01 و\u200e2026-02-28'],
  ['a date that begins a file name', 'الملف: 2026-01-31-الرحلات.xlsx', 'الملف: \u200e2026-01-31-الرحلات.xlsx'],
])('keeps the order of %s behind Arabic letters', (_, text, kept) => {
  expect(keepNumbers(text)).toBe(kept)
  expect(keepNumbers(kept)).toBe(kept)
})

it.each(['3 صفوف في 08:00', 'بين 1 و2.5', 'A320-200', 'B-52', '26 نوفمبر 2026 في 17:28 غرينتش-3'])(
  'leaves %s as it is',
  (text) => {
    expect(keepNumbers(text)).toBe(text)
  },
)
