import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestError } from '../../../lib/errors/request-error.ts'
import { readRecipients } from '../../../lib/mail/recipients.ts'
import { anyText } from '../../support/requests/any-text.ts'

const config = { MAIL_DOMAINS: ['Example.com', '@bücher.example'], MAIL_ADDRESSES: ['Boss@Partner.test'] }
const nora = { email: 'Nora.Own@private.test' }

type Identity = { readonly email?: string; readonly unverifiedEmail?: string }

const read = (emails: unknown, identity: Identity = nora) => readRecipients(emails, identity, config)

function refusal(emails: unknown, identity?: Identity): RequestError {
  try {
    read(emails, identity)
  } catch (error) {
    if (error instanceof RequestError) return error
    throw error
  }
  throw new Error('These recipients were not refused')
}

/** An address of so many characters in all. */
const findAddress = (length: number) => {
  const domain = `${'d'.repeat(63)}.`.repeat(3)
  return `${'a'.repeat(length - domain.length - 5)}@${domain}test`
}

describe('without any recipients', () => {
  it.each([undefined, null, '', []])('sends the report to the caller for %j', (emails) => {
    expect(read(emails)).toEqual(['Nora.Own@private.test'])
  })

  it.each([{}, { email: '' }, { email: 'not an address' }, { email: 'a@b.test, c@d.test' }])(
    'a caller of %j must name some',
    (identity) => {
      expect(refusal(undefined, identity)).toMatchObject({ code: 'validation_failed', status: 422 })
      expect(Object.keys(refusal([], identity).fields ?? {})).toEqual(['emails'])
    },
  )

  const findFault = (emails: unknown, identity: Identity) => Object.entries(refusal(emails, identity).fields ?? {})[0]

  it('a caller whose token has no address hears that, in both languages', () => {
    const [, [fault] = []] = findFault([], {}) ?? []
    expect(fault?.en).toBe('is required, because your access token has no e-mail address')
    expect(fault?.ar).toContain('لا يحتوي على عنوان بريد إلكتروني')
  })

  it.each<[unknown, string]>([
    [undefined, 'emails'],
    [['nora@Private.test'], 'emails.0'],
  ])('a caller whose address is not verified hears that and what to do, with %j', (emails, path) => {
    const [field, [fault] = []] = findFault(emails, { unverifiedEmail: 'Nora@private.test' }) ?? []
    expect(field).toBe(path)
    expect(fault?.en).toMatch(/is not verified; verify it .* sign in again, or name other recipients/)
    expect(fault?.ar).toContain('غير موثَّق')
  })
})

describe('recipients', () => {
  it.each([
    [['a@example.com'], ['a@example.com']],
    [['  a@example.com\t', '\na@example.com'], ['a@example.com']],
    [
      ['A@example.com', 'a@EXAMPLE.com', 'b@example.com'],
      ['A@example.com', 'b@example.com'],
    ],
    [['a@bücher.example', 'a@xn--bcher-kva.example', 'a@BÜCHER.example'], ['a@xn--bcher-kva.example']],
    [['boss@partner.test'], ['boss@partner.test']],
    [['nora.own@PRIVATE.test'], ['nora.own@private.test']],
    [["o'hara+reports@example.com"], ["o'hara+reports@example.com"]],
    [[`${'a'.repeat(64)}@example.com`], [`${'a'.repeat(64)}@example.com`]],
  ])('%j are %j', (emails, recipients) => {
    expect(read(emails)).toEqual(recipients)
  })

  it('are ten at most, once duplicates are out', () => {
    const ten = Array.from({ length: 10 }, (_, index) => `user${index}@example.com`)
    expect(read([...ten, ...ten])).toEqual(ten)
    for (const many of [[...ten, 'one-more@example.com'], Array.from({ length: 100_000 }, () => 'a@example.com')])
      expect(refusal(many).fields).toHaveProperty('emails')
  })

  it('are at most 254 characters long', () => {
    const long = findAddress(254)
    expect(readRecipients([long], {}, { MAIL_DOMAINS: [], MAIL_ADDRESSES: [long] })).toEqual([long])
  })

  it('may be in a domain that is not ASCII to its end', () => {
    const arabic = { MAIL_DOMAINS: ['مثال.السعودية'], MAIL_ADDRESSES: [] }
    expect(readRecipients(['a@مثال.السعودية'], {}, arabic)).toEqual(['a@xn--mgbh0fb.xn--mgberp4a5d4ar'])
  })
})

describe('an entry that is no single plain address is named by its place', () => {
  it.each<unknown>([
    ...[7, true, null, {}, [], ['a@example.com'], { toString: 'a@example.com' }],
    ...['', ' ', 'plain', '@example.com', 'a@', 'a@@example.com', 'a@b@example.com', 'a@example', 'a@.com', 'a@com.'],
    ...['a@exa mple.com', 'a b@example.com', '.a@example.com', 'a.@example.com', 'a..b@example.com', 'a@-example.com'],
    ...['a@example-.com', 'a@exam_ple.com', 'a@[127.0.0.1]', 'a@127.0.0.1', 'a@example..com', '"a b"@example.com'],
    ...['a@example.com,b@example.com', 'a@example.com;b@example.com', 'A <a@example.com>', '<a@example.com>'],
    ...['a@example.com\r\nBcc: b@example.com', 'a\r\n@example.com', 'a@exam\nple.com', 'a@example.com\r\n.\r\nDATA x'],
    ...['a\0@example.com', 'a@exam\0ple.com', 'a@example.com%0d%0aBcc:b', 'a%b@example.com', 'a!b@example.com'],
    ...[
      'ä@example.com',
      'a@exam\u2028ple.com',
      'a@exam\u202Eple.com',
      'a@exämple%2ecom',
      'a@ü/..example.com',
      'a@ü#.com',
    ],
    ...[
      'mailto:a@example.com',
      'a@example.com?bcc=b@example.com',
      '(x)a@example.com',
      'a(x)@example.com',
      '💥@example.com',
    ],
    ...[`${'a'.repeat(65)}@example.com`, findAddress(255), `a@${'d'.repeat(64)}.com`, 'a'.repeat(1_000_000)],
    ...[`a@${'ü'.repeat(300)}.com`, 'a\u00A0@example.com', 'a@example.com\u200B', '\uD800@example.com'],
  ])('%j', (entry) => {
    const { code, status, fields } = refusal(['fine@example.com', entry])
    expect({ code, status, fields: Object.keys(fields ?? {}) }).toEqual({
      code: 'validation_failed',
      status: 422,
      fields: ['emails.1'],
    })
  })

  it.each(['a@example.com', 7, true, { 0: 'a@example.com' }])('refuses %j, which is no list', (emails) => {
    expect(refusal(emails).fields).toHaveProperty('emails')
  })

  it('names each of several such entries at once', () => {
    expect(Object.keys(refusal(['x', 'fine@example.com', 'y']).fields ?? {})).toEqual(['emails.0', 'emails.2'])
  })
})

describe('a recipient outside of what is allowed is refused by name', () => {
  it.each([
    ...['a@sub.example.com', 'a@example.com.evil.test', 'a@notexample.com', 'a@example.co', 'other@partner.test'],
    ...['nora.own@example.test', 'nora@private.test', 'a@partner.test', 'a@bucher.example', 'boss+x@partner.test'],
    // A Cyrillic letter that looks like the Latin one.
    'a@xn--xample-2of.com',
  ])('%s', (address) => {
    const error = refusal(['fine@example.com', address])
    expect(error).toMatchObject({ code: 'recipient_not_allowed', status: 422 })
    expect(Object.keys(error.fields ?? {})).toEqual(['emails.1'])
    expect(error.text.en).toContain(address)
    expect(error.text.ar).toContain(address)
  })

  it('refuses a recipient if only the own address is allowed', () => {
    const nothing = { MAIL_DOMAINS: [], MAIL_ADDRESSES: [] }
    expect(readRecipients(['nora.own@private.test'], nora, nothing)).toEqual(['nora.own@private.test'])
    expect(() => readRecipients(['a@example.com'], {}, nothing)).toThrow(RequestError)
  })

  it('an address that the token does not vouch for is not the own one', () => {
    expect(refusal(['nora.own@private.test'], {}).code).toBe('recipient_not_allowed')
  })
})

describe('for any request', () => {
  const part = fc.oneof(
    anyText({ maxLength: 6 }),
    fc.constantFrom(
      'a',
      'A',
      '.',
      '@',
      '@example.com',
      '@bücher.example',
      ',',
      '\r\n',
      '<',
      '>',
      ' ',
      '\0',
      '"',
      'xn--',
    ),
  )
  const entry = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''))

  it('mail goes to plain ASCII addresses of allowed domains, each once, ten at most, or is refused', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(entry, fc.anything()), { maxLength: 14 }), (emails) => {
        let recipients: readonly string[]
        try {
          recipients = read(emails)
        } catch (error) {
          expect(error).toBeInstanceOf(RequestError)
          expect((error as RequestError).status).toBe(422)
          return
        }
        expect(recipients.length).toBeGreaterThan(0)
        expect(recipients.length).toBeLessThanOrEqual(10)
        expect(new Set(recipients.map((one) => one.toLowerCase())).size).toBe(recipients.length)
        for (const one of emails.length === 0 ? [] : recipients)
          expect(one).toMatch(/^[\w'+.-]{1,64}@(example\.com|xn--bcher-kva\.example)$/)
      }),
      { numRuns: 3_000 },
    )
  })
})
