import { domainToASCII } from 'node:url'
import * as z from 'zod/mini'

const maxLocalLength = 64
const maxAddressLength = 254

/** SES takes ASCII only, with domains as punycode. Comments, quotes and lists of addresses are refused. */
const form =
  /^(?!\.)(?!.*\.\.)(?!.*\.@)[A-Za-z0-9_'+.-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/

const address = z.email({ pattern: form }).check(
  z.maxLength(maxAddressLength),
  z.refine((text) => text.lastIndexOf('@') <= maxLocalLength),
)

/**
 * Parses an address: trimmed, its domain in lower case and as punycode. Returns `undefined` for anything but one plain
 * address.
 */
export function readMailAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2 * maxAddressLength) return undefined
  const [local = '', domain = '', ...more] = value.trim().split('@')
  if (more.length > 0) return undefined
  const parsed = address.safeParse(`${local}@${readMailDomain(domain)}`)
  return parsed.success ? parsed.data : undefined
}

/** Parses a domain: in lower case and as punycode. Returns an empty text for anything else. */
export function readMailDomain(domain: string): string {
  if (/^[\x21-\x7E]*$/.test(domain)) return domain.toLowerCase()
  // The conversion drops what follows a host in a URL, so it gets letters, digits, dots and hyphens only.
  return /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) ? domainToASCII(domain) : ''
}

/** Returns a text that is the same for two addresses of one mailbox. */
export const comparableAddress = (text: string): string => text.toLowerCase()
