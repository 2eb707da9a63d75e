import { addressParser } from 'postal-mime'

/** A header field of a MIME message. */
export interface MailHeader {
  /** In lower case. */
  readonly name: string
  /** Unfolded. */
  readonly value: string
}

/** The header of a MIME message, in the order it was written. */
export function readMailHeaders(raw: Buffer): readonly MailHeader[] {
  const { head } = split(raw)
  return head
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .flatMap((line) => {
      const colon = line.indexOf(':')
      return colon < 1 ? [] : [{ name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1).trim() }]
    })
}

/** The addresses in all fields of these names, without display names. */
export const headerAddresses = (headers: readonly MailHeader[], names: readonly string[]): readonly string[] =>
  headers.filter(({ name }) => names.includes(name)).flatMap(({ value }) => bareAddresses(value))

/** The addresses of a list such as `Ann <ann@example.com>, bob@example.com`, as they are written. */
export const bareAddresses = (list: string): readonly string[] =>
  addressParser(list, { flatten: true }).map(({ address }) => address ?? '')

/** The same message, with a To of its own instead of all that its header says about recipients. */
export function withRecipients(raw: Buffer, recipients: readonly string[]): Buffer {
  const { head, rest } = split(raw)
  const kept = head.replace(/^(?:to|cc|bcc):.*(?:\r?\n[ \t].*)*(?:\r?\n|$)/gim, '')
  return Buffer.concat([Buffer.from(`To: ${recipients.join(', ')}\r\n${kept}`, 'latin1'), rest])
}

function split(raw: Buffer): { readonly head: string; readonly rest: Buffer } {
  const ends = ['\r\n\r\n', '\n\n'].map((mark) => raw.indexOf(mark)).filter((at) => at !== -1)
  const end = Math.min(raw.length, ...ends)
  return { head: raw.toString('latin1', 0, end), rest: raw.subarray(end) }
}
