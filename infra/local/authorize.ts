/** A request of a function to a local service, in the words of IAM. */
export interface AskedAccess {
  readonly accessKeyId: string
  /** Such as `sqs:SendMessage`. */
  readonly action: string
  /** ARNs, all of which must be allowed. */
  readonly resources: readonly string[]
  /** Condition keys, such as `ses:FromAddress`. */
  readonly context?: Readonly<Record<string, string>>
}

/** Whether a request is allowed. */
export type Authorize = (asked: AskedAccess) => boolean

/** Where functions have no permissions of their own, as when they run from the sources. */
export const authorizeAll: Authorize = () => true

/** Who has signed a request, from its header or its signed URL; the signature itself is not checked. */
export function accessKeyOf(authorization: string | undefined, credential?: string | null): string {
  const [, signed = credential ?? ''] = /Credential=([^,\s]+)/.exec(authorization ?? '') ?? []
  return signed.split('/')[0] ?? ''
}
