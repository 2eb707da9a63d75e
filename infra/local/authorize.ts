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

/** Allows everything: functions that run from the sources have no permissions of their own. */
export const authorizeAll: Authorize = () => true

/** Returns the access key of a signed request, from its header or URL. The signature is not checked. */
export function readAccessKey(authorization: string | undefined, credential?: string | null): string {
  const [, signed = credential ?? ''] = /Credential=([^,\s]+)/.exec(authorization ?? '') ?? []
  return signed.split('/')[0] ?? ''
}
