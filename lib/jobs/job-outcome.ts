import type { Counts } from '../actions/counts-message.ts'
import type { RowResult } from '../actions/row-outcome.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { NotificationLevel } from '../push/notification.ts'
import type { NewFile } from '../storage/store-file.ts'

/** What a job has made, before anybody is told of it. */
export interface JobOutcome {
  /** The subject of what is told; left out: the label of the action. */
  readonly title?: Bilingual
  readonly message: Bilingual
  readonly level: NotificationLevel
  /** How many rows were written or changed. */
  readonly rows: number
  /** What came of the rows of an action; the failures are only the first ones. */
  readonly counts?: Counts & { readonly selected: number }
  readonly results?: readonly RowResult[]
  /** JSON of the action's author. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly file?: JobFile
}

export interface JobFile extends NewFile {
  readonly bytes: number
}
