import { domainToASCII } from 'node:url'
import * as z from 'zod/mini'

const longestLocal = 64
const longestAddress = 254

/** SES takes ASCII only, domains as punycode; comments, quotes and lists of addresses are none of what a person enters. */
const form =
  /^(?!\.)(?!.*\.\.)(?!.*\.@)[A-Za-z0-9_'+.-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/

const address = z.email({ pattern: form }).check(
  z.maxLength(longestAddress),
  z.refine((text) => text.lastIndexOf('@') <= longestLocal),
)

/**
 * An address as mail is sent to it: trimmed, its domain in lower case and as punycode. `undefined` for what is no single
 * plain address.
 */
export function readMailAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 2 * longestAddress) return undefined
  const [local = '', domain = '', ...more] = value.trim().split('@')
  if (more.length > 0) return undefined
  const parsed = address.safeParse(`${local}@${readMailDomain(domain)}`)
  return parsed.success ? parsed.data : undefined
}

/** A domain in lower case and as punycode; nothing for what cannot be one. */
export function readMailDomain(domain: string): string {
  if (/^[\x21-\x7E]*$/.test(domain)) return domain.toLowerCase()
  // The conversion reads as much as it can of a URL's host, so it is given nothing but letters.
  return /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) ? domainToASCII(domain) : ''
}

/** Two addresses with the same text here reach the same mailbox. */
export const comparableAddress = (text: string): string => text.toLowerCase()
