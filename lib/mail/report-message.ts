import type { Language } from '../i18n/language.ts'

/** What a mail is about, in the language of whoever asked for it. */
export interface ReportMessage {
  readonly language: Language
  /** Labels, as the table and its action show them. */
  readonly table: string
  readonly action: string
  /** What the subject says behind the table; left out: the day. */
  readonly title?: string
  /** By whom the report was asked for, and when. */
  readonly requestedBy: Requester
  readonly requestedAt: Date
  /** Each as a sentence; left out where the mail is not about rows that filters select. */
  readonly filters?: readonly string[]
  /** How many rows were picked by hand. */
  readonly selected?: number
  /** How many rows the report has; left out where it is not about rows. */
  readonly rows?: number
  /** Before a file or a link; left out: that the report is ready, or who asked for it. */
  readonly intro?: string
  /** An IANA name: in which moments are told. */
  readonly timeZone: string
  readonly content: AttachedFile | LinkedFile | MailText | FailureNotice
}

/** Whoever asked for a report, as its recipients are told of them. */
export interface Requester {
  readonly name: string
  /** The requester's own, verified: to it the mail speaks of a report that "you" asked for. */
  readonly address?: string
}

/** A file in the mail itself, of `maxAttachedBytes` at most. */
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
  /** By which an administrator finds the job in the log. */
  readonly reference: string
  readonly link?: Pick<LinkedFile, 'fileName' | 'url' | 'expiresAt'>
}
