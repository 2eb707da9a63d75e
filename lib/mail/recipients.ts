import type { Config } from '../config.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { comparableAddress, readMailAddress, readMailDomain } from './mail-address.ts'

type AllowList = Pick<Config, 'MAIL_DOMAINS' | 'MAIL_ADDRESSES'>

interface Addresses {
  /** The caller's own verified address. */
  readonly email?: string | undefined
  readonly unverifiedEmail?: string | undefined
}

const mostRecipients = 10
/** Before duplicates are taken out. */
const mostEntries = 100

/**
 * To whom a report goes: the addresses of a request's `emails` without duplicates, ready to be sent to, 10 at most; without any,
 * the caller's own verified address. Throws `validation_failed` where there is none or one cannot be read, and
 * `recipient_not_allowed` for one that is neither the caller's own nor in MAIL_DOMAINS (the very domain, not those below
 * it) or MAIL_ADDRESSES.
 */
export function readRecipients(
  emails: unknown,
  { email, unverifiedEmail }: Addresses,
  config: AllowList,
): readonly string[] {
  const [own, unverified] = [readMailAddress(email), readMailAddress(unverifiedEmail)]
  const entries = entriesOf(emails)
  if (entries.length === 0) {
    if (own !== undefined) return [own]
    throw validationFailed({ emails: [fieldFault(unverified === undefined ? 'no_address' : 'unverified_address')] })
  }
  const recipients = readEntries(entries)
  const isAllowed = allowed(own, config)
  const refused = recipients.filter(({ address }) => !isAllowed(address))
  if (refused[0] !== undefined) throw notAllowed(refused[0], refused, unverified)
  return recipients.map(({ address }) => address)
}

function entriesOf(emails: unknown): readonly unknown[] {
  if (emails === undefined || emails === null || emails === '') return []
  if (!Array.isArray(emails)) throw validationFailed({ emails: [fieldFault('not_a_list')] })
  if (emails.length > mostEntries) throw tooMany()
  return emails
}

interface Recipient {
  readonly path: string
  readonly address: string
}

function readEntries(entries: readonly unknown[]): readonly Recipient[] {
  const faults: Record<string, readonly Bilingual[]> = {}
  const recipients = new Map<string, Recipient>()
  for (const [index, entry] of entries.entries()) {
    const path = `emails.${index}`
    const address = readMailAddress(entry)
    if (address === undefined) faults[path] = [fieldFault('not_an_email')]
    else if (!recipients.has(comparableAddress(address))) recipients.set(comparableAddress(address), { path, address })
  }
  if (Object.keys(faults).length > 0) throw validationFailed(faults)
  if (recipients.size > mostRecipients) throw tooMany()
  return [...recipients.values()]
}

const tooMany = () => validationFailed({ emails: [fieldFault('too_many', { most: mostRecipients })] })

function allowed(own: string | undefined, { MAIL_DOMAINS, MAIL_ADDRESSES }: AllowList): (address: string) => boolean {
  const domains = new Set(MAIL_DOMAINS.map((domain) => readMailDomain(domain.replace(/^@/, ''))))
  const addresses = new Set([own, ...MAIL_ADDRESSES.map(readMailAddress)].flatMap((one) => one?.toLowerCase() ?? []))
  return (address) =>
    addresses.has(comparableAddress(address)) || domains.has(address.slice(address.lastIndexOf('@') + 1))
}

function notAllowed(first: Recipient, refused: readonly Recipient[], unverified: string | undefined): RequestError {
  const isOwn = ({ address }: Recipient) =>
    unverified !== undefined && comparableAddress(address) === comparableAddress(unverified)
  const textOfRefusal = (recipient: Recipient): Bilingual =>
    isOwn(recipient)
      ? fieldFault('unverified_address')
      : new RequestError('recipient_not_allowed', { address: recipient.address }).text
  const fields = Object.fromEntries(refused.map((recipient) => [recipient.path, [textOfRefusal(recipient)]]))
  return new RequestError('recipient_not_allowed', {}, { text: textOfRefusal(first), fields })
}
