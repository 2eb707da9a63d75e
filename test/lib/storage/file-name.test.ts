import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attachmentDisposition, safeFileName } from '../../../lib/storage/file-name.ts'
import { anyText } from '../../support/requests/any-text.ts'

/** Any text, with more of what is dangerous in a name than chance would bring. */
const hostileName = fc
  .array(
    fc.oneof(
      anyText({ maxLength: 8 }),
      fc.constantFrom('\r\n', '\n', '\0', '"', '\\', '/', '../', ';', '%0d%0a', '\u202E', '\uD800', '\u2028', 'é', 'ق'),
      fc.constantFrom("'", '.xlsx', '=?UTF-8?B?eA==?=', '\x7F', '\x85', '💥', '\uFEFF'),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''))

describe('a safe file name', () => {
  it.each([
    ['report.xlsx', 'report.xlsx'],
    ['تقرير الرحلات 2026.xlsx', 'تقرير الرحلات 2026.xlsx'],
    ['../../etc/passwd', '-..-etc-passwd'],
    ['a\r\nBcc: x@example.com.xlsx', 'a Bcc- x@example.com.xlsx'],
    ['report\u202Exslx.exe', 'report xslx.exe'],
    ['C:\\temp\\a.csv', 'C-temp-a.csv'],
    ['', 'file'],
    ['...', 'file'],
    [' \0\x01 ', 'file'],
    [`${'x'.repeat(500)}.xlsx`, `${'x'.repeat(115)}.xlsx`],
    [`x.${'y'.repeat(500)}`, `x.${'y'.repeat(118)}`],
  ])('is made of %j: %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe)
  })

  it('has one line, no path, no controls, no half characters and a bounded length, for any input', () => {
    fc.assert(
      fc.property(hostileName, (name) => {
        const safe = safeFileName(name)
        expect(safe).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069/\\:*?"<>|]/u)
        expect(safe).toMatch(/^[^ .](.*[^ .])?$/su)
        expect([...safe].length).toBeLessThanOrEqual(120)
        expect(safeFileName(safe)).toBe(safe)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a content disposition', () => {
  it.each([
    ['report.xlsx', 'attachment; filename="report.xlsx"; filename*=UTF-8\'\'report.xlsx'],
    ['Übersicht 1.csv', 'attachment; filename="Ubersicht 1.csv"; filename*=UTF-8\'\'%C3%9Cbersicht%201.csv'],
    ['تقرير.xlsx', 'attachment; filename="file.xlsx"; filename*=UTF-8\'\'%D8%AA%D9%82%D8%B1%D9%8A%D8%B1.xlsx'],
    ["it's (1).csv", "attachment; filename=\"it's (1).csv\"; filename*=UTF-8''it%27s%20%281%29.csv"],
    ['100%;\\.csv', 'attachment; filename="100__-.csv"; filename*=UTF-8\'\'100%25%3B-.csv'],
  ])('is made of %j: %j', (name, disposition) => {
    expect(attachmentDisposition(name)).toBe(disposition)
  })

  it('is one ASCII header from which the same name can be read, for any name', () => {
    fc.assert(
      fc.property(hostileName, (name) => {
        const parts = /^attachment; filename="([^"\\%;\r\n]+)"; filename\*=UTF-8''([\w.!#$&+^`|~%-]+)$/.exec(
          attachmentDisposition(name),
        )
        expect(attachmentDisposition(name)).toMatch(/^[\x20-\x7E]+$/)
        expect(decodeURIComponent(parts?.[2] ?? '')).toBe(safeFileName(name))
      }),
      { numRuns: 2_000 },
    )
  })
})
