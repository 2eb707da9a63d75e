/** A request of SendRawEmail, as it was sent. */
export interface RawEmailRequest {
  readonly source: string | undefined
  readonly destinations: readonly string[]
  readonly tags: Readonly<Record<string, string>>
  readonly configurationSet: string | undefined
  /** The MIME message. */
  readonly raw: Buffer
}

/** The name of the action in a request of SES's query protocol, which is a form. */
export const readAction = (form: URLSearchParams): string => form.get('Action') ?? ''

/** Reads a SendRawEmail; `undefined` without a message. */
export function readRawEmail(form: URLSearchParams): RawEmailRequest | undefined {
  const data = form.get('RawMessage.Data')
  if (data === null) return undefined
  const tags: Record<string, string> = {}
  for (let at = 1; form.has(`Tags.member.${at}.Name`); at += 1) {
    tags[form.get(`Tags.member.${at}.Name`) ?? ''] = form.get(`Tags.member.${at}.Value`) ?? ''
  }
  return {
    source: form.get('Source') ?? undefined,
    destinations: [...form].flatMap(([name, value]) => (name.startsWith('Destinations.member.') ? [value] : [])),
    tags,
    configurationSet: form.get('ConfigurationSetName') ?? undefined,
    raw: Buffer.from(data, 'base64'),
  }
}
