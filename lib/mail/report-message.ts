import type { Language } from '../i18n/language.ts'

/** The content of a mail, in the language of the requester. */
export interface ReportMessage {
  readonly language: Language
  /** Labels, as the table and its action show them. */
  readonly table: string
  readonly action: string
  /** Follows the table in the subject. Optional. */
  readonly title?: string
  readonly requestedBy: Requester
  readonly requestedAt: Date
  /** One sentence for each filter; absent if the mail is not about filtered rows. */
  readonly filters?: readonly string[]
  /** The number of rows that were selected by hand. */
  readonly selected?: number
  /** The number of rows of the report file; absent if the mail is not about rows. */
  readonly rows?: number
  /** The sentence before a file or a link. Default: that the report is ready, or who requested it. */
  readonly intro?: string
  /** The IANA name of the time zone in which moments are shown. */
  readonly timeZone: string
  readonly content: AttachedFile | LinkedFile | MailText | FailureNotice
}

/** The requester as recipients see them. */
export interface Requester {
  readonly name: string
  /** The requester's verified address: a mail to it says "you". */
  readonly address?: string
}

/** An attached file of up to `maxAttachedBytes`. */
export interface AttachedFile {
  readonly kind: 'file'
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface LinkedFile {
  readonly kind: 'link'
  readonly fileName: string
  /** Absolute. */
  readonly url: string
  readonly bytes: number
  readonly expiresAt: Date
}

export interface MailText {
  readonly kind: 'text'
  readonly text: string
}

/** Tells the requester of a job why it failed and what to do about it. */
export interface FailureNotice {
  readonly kind: 'failure'
  readonly reason: string
  readonly advice: string
  /** The request id under which the log has the job. */
  readonly reference: string
  readonly link?: Pick<LinkedFile, 'fileName' | 'url' | 'expiresAt'>
}
