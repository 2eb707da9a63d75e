import type { Config } from '../config.ts'
import { actionFault } from '../errors/action-fault.ts'
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

const maxRecipients = 10
/** Counted before duplicates are removed. */
const maxEntries = 100

/**
 * Parses the recipients of a request: up to 10 addresses of `emails` without duplicates. Default: the caller's verified
 * address. Throws `validation_failed` for an invalid or missing address. Throws `recipient_not_allowed` for an address
 * that is not the caller's own and not in MAIL_ADDRESSES or MAIL_DOMAINS, which do not include subdomains.
 */
export function readRecipients(
  emails: unknown,
  { email, unverifiedEmail }: Addresses,
  config: AllowList,
): readonly string[] {
  const own = readMailAddress(email)
  const unverified = readMailAddress(unverifiedEmail)
  const entries = listEntries(emails)
  if (entries.length === 0) {
    if (own !== undefined) return [own]
    throw validationFailed({ emails: [actionFault(unverified === undefined ? 'no_address' : 'unverified_address')] })
  }
  const recipients = readEntries(entries)
  const isAllowed = createAllowList(own, config)
  const refused = recipients.filter(({ address }) => !isAllowed(address))
  if (refused[0] !== undefined) throw notAllowedError(refused[0], refused, unverified)
  return recipients.map(({ address }) => address)
}

function listEntries(emails: unknown): readonly unknown[] {
  if (emails === undefined || emails === null || emails === '') return []
  if (!Array.isArray(emails)) throw validationFailed({ emails: [fieldFault('not_a_list')] })
  if (emails.length > maxEntries) throw tooMany()
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
  if (recipients.size > maxRecipients) throw tooMany()
  return [...recipients.values()]
}

const tooMany = () => validationFailed({ emails: [fieldFault('too_many', { max: maxRecipients })] })

function createAllowList(
  own: string | undefined,
  { MAIL_DOMAINS, MAIL_ADDRESSES }: AllowList,
): (address: string) => boolean {
  const domains = new Set(MAIL_DOMAINS.map((domain) => readMailDomain(domain.replace(/^@/, ''))))
  const addresses = new Set([own, ...MAIL_ADDRESSES.map(readMailAddress)].flatMap((one) => one?.toLowerCase() ?? []))
  return (address) =>
    addresses.has(comparableAddress(address)) || domains.has(address.slice(address.lastIndexOf('@') + 1))
}

function notAllowedError(
  first: Recipient,
  refused: readonly Recipient[],
  unverified: string | undefined,
): RequestError {
  const isOwn = ({ address }: Recipient) =>
    unverified !== undefined && comparableAddress(address) === comparableAddress(unverified)
  const describeRefusal = (recipient: Recipient): Bilingual =>
    isOwn(recipient)
      ? actionFault('unverified_address')
      : new RequestError('recipient_not_allowed', { address: recipient.address }).text
  const fields = Object.fromEntries(refused.map((recipient) => [recipient.path, [describeRefusal(recipient)]]))
  return new RequestError('recipient_not_allowed', {}, { text: describeRefusal(first), fields })
}
