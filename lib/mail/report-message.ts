import type { Language } from '../i18n/language.ts'

/** What a mail is about, in the language of whoever asked for it. */
export interface ReportMessage {
  readonly language: Language
  /** Labels, as the table and its action show them. */
  readonly table: string
  readonly action: string
  /** How many rows the report has; left out where it is not about rows. */
  readonly rows?: number
  /** Before a file or a link; left out: that the report is ready. */
  readonly intro?: string
  /** An IANA name: in which the end of a link is told. */
  readonly timeZone: string
  readonly content: AttachedFile | LinkedFile | MailText
}

/** A file in the mail itself, of `mostAttachedBytes` at most. */
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
  readonly expiresAt: Date
}

export interface MailText {
  readonly kind: 'text'
  readonly text: string
}
