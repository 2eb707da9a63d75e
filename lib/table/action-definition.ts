import type { SQL } from 'drizzle-orm'
import type * as z from 'zod/v4/core'
import type { TransactionSession } from '../db/database-session.ts'
import type { Bilingual, Label } from '../i18n/language.ts'
import type { BulkResponse, OnSuccess, ResponseOnSuccess, RowBulkOnSuccess } from '../wire/vocabulary.ts'
import type { Formerly } from './formerly.ts'

export type DefaultRowActionKey = 'show_details'
export type DefaultBulkActionKey = 'export_excel'
export type DefaultActionKey = DefaultRowActionKey | DefaultBulkActionKey

/** The end of an action, for what must not happen unless it is committed. */
type Committed<Scope, Input> = Scope & {
  /** The rows on which the action has run. */
  readonly ids: readonly (string | number)[]
  readonly input: Input
  readonly requestId: string
}

/** The effects that an action declares. */
interface Effects<Scope, Input> {
  /** `true`: the action touches nothing but the database, so a plan may run it on a few rows and undo it. */
  readonly preview?: boolean
  /**
   * Runs once after the commit, for effects outside of the database. A job runs it after each chunk, or once if it is
   * atomic. A failure is logged and changes no response. If the function is killed meanwhile, it is not run again.
   */
  readonly afterCommit?: (done: Committed<Scope, NoInfer<Input>>) => void | PromiseLike<void>
}

interface ActionBase<Scope, Input> {
  /** Requests, views and links with the former name go on working, with the headers `Deprecation` and `Sunset`. */
  readonly formerly?: Formerly
  /** Default: for an export, that of its kind; else made from the action's key. */
  readonly label?: Label
  readonly buttonClasses?: readonly string[]
  /** The question that a client asks before it runs the action. */
  readonly confirm?: Label
  /** `false` hides it from web clients, in the structure and in every row. */
  readonly showInWeb?: boolean
  readonly showInMobileApp?: boolean
  /** The action does not exist for a request for which this is false. */
  readonly loadIf?: (context: Scope) => boolean
  /** The fields that a client fills in. Clients get it as JSON Schema; a body that does not fit is refused (422). */
  readonly form?: z.$ZodType<Input>
  /** The labels of the form's fields. Default: `meta({ title })` of their schemas. */
  readonly formLabels?: { readonly [Field in NoInfer<keyof Input & string>]?: Label }
}

type RowActionKind<Row, Scope> =
  | { readonly type?: 'normal' | 'custom_control' }
  | { readonly type: 'toggle'; readonly current: (row: Row) => boolean }
  | { readonly type: 'redirect' | 'external_redirect'; readonly to: (row: Row, context: Scope) => string }
  | { readonly type: 'copy'; readonly copies: (row: Row) => string }

/** Takes back what an action has done to a row. */
export interface UndoDefinition<Scope, Data> {
  /** The schema of what `run` returns as `undo`, which is kept sealed. */
  readonly data: z.$ZodType<Data>
  /** Runs on each row that has not changed since. It refuses by throwing `refuse()`. */
  readonly run: (
    work: Omit<Work<Scope, undefined>, 'ids' | 'input'> & { readonly id: string | number; readonly data: Data },
  ) => PromiseLike<unknown>
}

/** Declares the `undo` of an action, typed by the schema of its data. */
export const undoBy = <Scope, Data>(
  data: z.$ZodType<Data>,
  run: UndoDefinition<Scope, NoInfer<Data>>['run'],
): UndoDefinition<Scope, unknown> => ({ data, run: run as UndoDefinition<Scope, unknown>['run'] })

/** An action on one row. */
export type RowActionDefinition<Row, Scope, Input> = ActionBase<Scope, Input> &
  Effects<Scope, Input> &
  RowActionKind<Row, Scope> & {
    /**
     * A row for which this is false does not offer the action; one with a reason offers it disabled. Default: it
     * applies to every row.
     */
    readonly appliesTo?: (row: Row, context: Scope) => boolean | { readonly reason: Bilingual }
    /** Default: `refetchRow`. */
    readonly onSuccess?: OnSuccess
    /**
     * The same action over several selected rows. Default of `onSuccess`: `deleteRow` where that of one row is, else
     * `refetchData`.
     */
    readonly bulk?: true | { readonly onSuccess?: RowBulkOnSuccess }
    /** With several rows: all or none. Default: each row for itself. */
    readonly atomic?: boolean
    /**
     * Changes the row, which is locked, inside the scope, and applies. What it returns beside `message` and `onSuccess`
     * joins the response of a single row. It refuses by throwing `refuse()`.
     */
    readonly run?: (work: Work<Scope, NoInfer<Input>> & { readonly row: Row }) => Returned<ActionResponse>
    /** Changes several rows at once; replaces `run` if it is given. Returns the refusals by id. */
    readonly runAll?: (
      work: Work<Scope, NoInfer<Input>> & { readonly rows: readonly Row[] },
    ) => PromiseLike<readonly Refusal[] | void>
    /** The result of `undoBy`. Makes the action undoable for an hour if `run` returns an `undo`. */
    readonly undo?: UndoDefinition<Scope, unknown>
    /** The first values of the form, for `onSuccess: 'OpenModalForm'`. */
    readonly formValues?: (row: Row, context: Scope) => Readonly<Record<string, unknown>>
    /** The client's reaction after the second step of `onSuccess: 'OpenModalForm'`. Default: `refetchRow`. */
    readonly onSubmit?: ResponseOnSuccess
  }

export type ExportFormat = 'excel' | 'csv'

interface BulkExport {
  /** The rows as a file of this format. */
  readonly export: ExportFormat
  /** `file`: an instant response is the file itself and not a link to it, as far as it fits. */
  readonly deliver?: 'link' | 'file'
}

interface BulkWork<Row, Scope, Input> extends Effects<Scope, Input> {
  readonly export?: never
  /**
   * Changes one chunk of the rows, which are locked and inside the scope. It refuses all of them by throwing
   * `refuse()`.
   */
  readonly run: (work: Work<Scope, NoInfer<Input>> & { readonly rows: readonly Row[] }) => Returned<ChunkResult>
  /** Rows in a chunk, 1 to 20,000. Default: 500. */
  readonly chunk?: number
  /** All rows or none. Default: each chunk for itself. A job that is atomic works in a single transaction. */
  readonly atomic?: boolean
  /** The maximum number of rows of one run. Default: 3,000 for an instant response, 100,000 for any other. */
  readonly maxRows?: number
  /** The content of the response, mail, notification or push at the end. Default: the number of rows. */
  readonly conclude?: (outcome: BulkOutcome, context: Scope) => BulkConclusion | Promise<BulkConclusion>
}

/** An action of the toolbar. */
export type BulkActionDefinition<Row, Scope, Input> = ActionBase<Scope, Input> & {
  readonly response?: BulkResponse
  /** Default: `no_action`. A response about any number of rows has no single row to replace. */
  readonly onSuccess?: Exclude<ResponseOnSuccess, 'refetchRow'>
} & (BulkExport | BulkWork<Row, Scope, Input>)

/** The input of an action's own code beside its rows. */
type Work<Scope, Input> = Scope & {
  /** drizzle inside the action's transaction: what is done through it happens together with the rest, or not at all. */
  readonly db: TransactionSession
  /** The condition that selects exactly the row or rows of this run, by the table's key. */
  readonly where: SQL
  /** The ids of the row or rows of this run, in their order. */
  readonly ids: readonly (string | number)[]
  /** The output of the form's schema; `undefined` without a form. */
  readonly input: Input
  readonly requestId: string
}

/** The part of a response that an action on one row adds. Every other key is sent unchanged, at the top level. */
type ActionResponse = void | {
  readonly message?: Label
  readonly onSuccess?: ResponseOnSuccess
  readonly [key: string]: unknown
}

/** The return value of an action's own code: its response, or the outcome of a statement, which is ignored. */
type Returned<Value> = Value | PromiseLike<Value | readonly unknown[]>

/** A row that an action did not change, and why. */
export interface Refusal {
  /** One of `ids`, or the key of the row. */
  readonly id: string | number | bigint
  readonly text: Bilingual
  readonly code?: string
}

/** The outcome of one chunk: the refused rows, and data for the action's conclusion. */
export type ChunkResult = void | {
  readonly refused?: readonly Refusal[]
  /** Kept as JSON until the conclusion. */
  readonly data?: unknown
}

/** The outcome of a whole run. */
export interface BulkOutcome {
  readonly selected: number
  readonly succeeded: number
  readonly failed: number
  /** The `data` of each chunk, in order. */
  readonly data: readonly unknown[]
}

/** The conclusion of a run, for the response, the mail, the notification or the WebSocket. */
export interface BulkConclusion {
  /** The subject of a mail, the title of a notification. */
  readonly title?: Bilingual
  readonly message?: Bilingual
  readonly level?: 'info' | 'success' | 'warning' | 'danger'
  /** JSON of the author's own. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly file?: { readonly name: string; readonly contentType: string; readonly content: Uint8Array }
}
