import { headerAddresses, readMailHeaders } from './mail-headers.ts'
import type { RawEmailRequest } from './ses-request.ts'

/** An error response of SES. */
export interface SesRefusal {
  readonly code: string
  readonly message: string
  readonly status: number
}

/** Limit for the whole MIME message, in which attachments are base64 already. */
const maxMessageBytes = 10 * 1024 * 1024
const maxRecipients = 50

/** Header fields that a message may have once. */
const single = ['from', 'sender', 'reply-to', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id', 'mime-version']

export interface Recipients {
  readonly source: string
  readonly destinations: readonly string[]
}

/** Returns sender and recipients: those of the request, else those of the message's header. */
export function readEnvelope({ source, destinations, raw }: RawEmailRequest): Recipients {
  const headers = readMailHeaders(raw)
  return {
    source: source ?? headers.find(({ name }) => name === 'from')?.value ?? '',
    destinations: destinations.length > 0 ? destinations : headerAddresses(headers, ['to', 'cc', 'bcc']),
  }
}

/** SES's own reason to refuse this mail, if it has any. */
export function findRefusal({ raw }: RawEmailRequest, { source, destinations }: Recipients): SesRefusal | undefined {
  const fields = readMailHeaders(raw).map(({ name }) => name)
  const repeated = single.find((name) => fields.indexOf(name) !== fields.lastIndexOf(name))
  if (raw.length === 0) return invalid('Message content is empty.')
  if (raw.length > maxMessageBytes)
    return invalid(`Message length is more than ${maxMessageBytes} bytes long: '${raw.length}'.`)
  if (destinations.length > maxRecipients) return invalid(`Recipient count exceeds ${maxRecipients}.`)
  if (repeated !== undefined) return invalid(`Duplicate header '${titleCase(repeated)}'.`)
  if (!fields.includes('from')) return invalid("Missing required header 'From'.")
  if (source === '') return invalid("Missing required header 'From'.")
  if (destinations.length === 0) return invalid("Missing required header 'To'.")
  const fault = [source, ...destinations].map(faultOfAddress).find((one) => one !== undefined)
  return fault === undefined ? undefined : invalid(fault)
}

const invalid = (message: string): SesRefusal => ({ code: 'InvalidParameterValue', message, status: 400 })

const titleCase = (name: string) =>
  name.replace(/(^|-)(\w)/g, (_all, dash: string, first) => dash + first.toUpperCase())

/** In SES's words; undefined for an address that it takes. */
function faultOfAddress(text: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'Local address contains control or whitespace'
  const address = /<([^<>]*)>$/.exec(text)?.[1] ?? text
  const at = address.lastIndexOf('@')
  if (at === -1) return "Missing final '@domain'"
  const local = address.slice(0, at)
  const domain = address.slice(at + 1)
  if (local === '') return 'Missing local name'
  if (/[^\x21-\x7e]/.test(local)) return 'Local address contains control or whitespace'
  if (/^\.|\.$|\.\.|[()<>[\]:;@\\,"]/.test(local)) return 'Local address contains illegal character'
  if (domain.startsWith('.')) return 'Domain starts with dot'
  if (domain.includes('..')) return 'Domain contains dot-dot'
  if (!/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(domain)) return 'Domain contains illegal character'
  return domain.includes('.') ? undefined : "Missing final '@domain'"
}
