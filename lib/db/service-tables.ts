import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  json,
  jsonb,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import type { StoredIdentity } from '../auth/identity.ts'
import type { Bilingual } from '../i18n/language.ts'
import { createdAt, moment, service } from './service-schema.ts'

export { importCells, imports } from './import-tables.ts'
export { rowEvents, rowPolls, sockets, socketTickets, subscriptions } from './socket-tables.ts'
export { service }

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' })

/** Jobs: work that runs later. A message of the queue holds only the id of such a row. */
export const jobs = service.table(
  'jobs',
  {
    id: uuid().primaryKey(),
    subject: text().notNull(),
    identity: jsonb().$type<StoredIdentity>().notNull(),
    guard: text().notNull(),
    language: text({ enum: ['en', 'ar'] }).notNull(),
    table_name: text().notNull(),
    action: text().notNull(),
    /** `selected_report`: a report that the version 2026-11-21 would make of other rows, so that its workers refuse it. */
    kind: text({ enum: ['report', 'selected_report', 'bulk', 'import', 'plan'] }).notNull(),
    response: text({ enum: ['email', 'notification', 'websocket'] }).notNull(),
    /** The request body as it was read: filters, sorts, params, ids. */
    request: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
    request_id: text().notNull(),
    base_url: text().notNull(),
    state: text({ enum: ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'unknown'] })
      .notNull()
      .default('queued'),
    done: integer().notNull().default(0),
    total: integer(),
    attempts: integer().notNull().default(0),
    /** The number of the last event. Events are numbered even if no socket is open. */
    seq: integer().notNull().default(0),
    /** The token of the worker that runs the job. A worker that claims the job after `lease_until` replaces it. */
    lease_token: uuid(),
    lease_until: moment(),
    /** When its message was last given to the queue; the sweep looks for jobs whose message was lost. */
    enqueued_at: moment(),
    /** Must not be tried again before. */
    not_before: moment(),
    /** No message of the queue stands for it: it waits until a running job of its subject ends. */
    held: boolean().notNull().default(false),
    cancel_requested: boolean().notNull().default(false),
    /** The sweep has removed its chunks, a day after its end. */
    chunks_removed: boolean().notNull().default(false),
    result: jsonb().$type<Readonly<Record<string, unknown>>>(),
    failure: jsonb().$type<Bilingual & { readonly code: string }>(),
    created_at: createdAt(),
    started_at: moment(),
    finished_at: moment(),
  },
  (job) => [
    index('jobs_unfinished_by_subject').on(job.subject, job.created_at).where(sql`state in ('queued', 'running')`),
    index('jobs_unfinished_by_age').on(job.created_at).where(sql`state in ('queued', 'running')`),
    index('jobs_running').on(job.subject).where(sql`state = 'running'`),
    index('jobs_put_back').on(job.subject, job.enqueued_at).where(sql`state = 'queued' and attempts > 0`),
    index('jobs_with_sample').on(job.finished_at).where(sql`kind = 'plan' and result #> '{plan,sample}' <> '[]'`),
    index('jobs_with_message').on(job.created_at).where(sql`state = 'queued' and not held`),
    index('jobs_held').on(job.subject, job.created_at).where(sql`state = 'queued' and held`),
    index('jobs_with_chunks').on(job.finished_at).where(sql`kind in ('bulk', 'plan') and not chunks_removed`),
    index('jobs_by_start').on(job.subject, job.started_at),
    index('jobs_by_age').on(job.created_at),
  ],
)

/**
 * One row per mail of a job. `sending` is written before SES is called: a worker that finds it cannot know whether the
 * mail was sent.
 */
export const jobRecipients = service.table(
  'job_recipients',
  {
    job_id: uuid()
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    address: text().notNull(),
    state: text({ enum: ['pending', 'sending', 'sent', 'failed', 'unknown'] })
      .notNull()
      .default('pending'),
    message_id: text(),
    code: text(),
    updated_at: createdAt(),
  },
  (recipient) => [primaryKey({ columns: [recipient.job_id, recipient.address] })],
)

/**
 * The mail that tells the owner of an e-mail job that it failed: at most one for each job, written together with the
 * job's end. `sending` is written before SES is called, as for the job's own mails.
 */
export const failureMails = service.table(
  'failure_mails',
  {
    job_id: uuid()
      .primaryKey()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    address: text().notNull(),
    state: text({ enum: ['pending', 'sending', 'sent', 'failed', 'unknown'] })
      .notNull()
      .default('pending'),
    attempts: integer().notNull().default(0),
    /** When the job's id was last sent to the queue for this mail. */
    enqueued_at: moment(),
    not_before: moment(),
    message_id: text(),
    code: text(),
    created_at: createdAt(),
    updated_at: createdAt(),
  },
  (mail) => [index('failure_mails_unsent').on(mail.created_at).where(sql`state in ('pending', 'sending')`)],
)

/** The events of jobs, stored for clients that were offline, even if no socket was open. */
export const jobEvents = service.table(
  'job_events',
  {
    job_id: uuid()
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    event: text().notNull(),
    data: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
    created_at: createdAt(),
  },
  (event) => [primaryKey({ columns: [event.job_id, event.seq] }), index('job_events_by_age').on(event.created_at)],
)

/**
 * The frozen rows of a bulk job or of the plan that a job has made, in order. A chunk is worked on and marked as done
 * in one transaction.
 */
export const jobChunks = service.table(
  'job_chunks',
  {
    job_id: uuid()
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    keys: jsonb().$type<readonly string[]>().notNull(),
    /** The versions of rows that were planned, in the order of the keys. */
    versions: jsonb().$type<readonly string[]>(),
    done_at: moment(),
    outcome: jsonb().$type<unknown>(),
  },
  (chunk) => [primaryKey({ columns: [chunk.job_id, chunk.position] })],
)

export const notifications = service.table(
  'notifications',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    subject: text().notNull(),
    title: jsonb().$type<Bilingual>().notNull(),
    body: jsonb().$type<Bilingual>().notNull(),
    level: text({ enum: ['info', 'success', 'warning', 'danger'] }).notNull(),
    data: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
    /** A second notification with this key and subject is the first one. */
    dedupe_key: text(),
    created_at: createdAt(),
    read_at: moment(),
    /** The caller whose request made it. Optional: that of a job is in the job, and authors notify other subjects. */
    identity: jsonb().$type<StoredIdentity>(),
    /** The table of the action, so that its values can be erased. Optional: `notify` knows none. */
    table_name: text(),
  },
  (notification) => [
    index('notifications_by_subject').on(notification.subject, notification.id),
    index('notifications_unread').on(notification.subject, notification.id).where(sql`read_at is null`),
    index('notifications_by_age').on(notification.created_at),
    unique('notifications_once').on(notification.subject, notification.dedupe_key),
  ],
)

/** Links to files. A link works until it expires or is revoked. */
export const downloads = service.table(
  'downloads',
  {
    id: uuid().primaryKey(),
    subject: text().notNull(),
    object_key: text().notNull(),
    file_name: text().notNull(),
    content_type: text().notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
    job_id: uuid(),
    created_at: createdAt(),
    expires_at: moment().notNull(),
    revoked_at: moment(),
    /** The action that made the file. Optional: versions before this column did not write it. */
    table_name: text(),
    action: text(),
    /** The `params` of the request that made the file: an extension checks the caller's rights with them. */
    params: jsonb().$type<Readonly<Record<string, unknown>>>(),
    /**
     * The address that the link was mailed to; null if the response to `subject` had it. Several links may share one
     * object.
     */
    recipient: text(),
    /** The file itself until it is in the storage: for files that are made together with a change of rows. */
    content: bytes(),
  },
  (download) => [
    index('downloads_by_expiry').on(download.expires_at),
    index('downloads_by_subject').on(download.subject, download.created_at),
    index('downloads_by_object').on(download.object_key),
    index('downloads_by_job').on(download.job_id).where(sql`job_id is not null`),
  ],
)

/** Queries that callers have saved under a name. They stay until their owner removes them. */
export const savedViews = service.table(
  'views',
  {
    id: uuid().primaryKey().defaultRandom(),
    subject: text().notNull(),
    table_name: text().notNull(),
    name: text().notNull(),
    visibility: text({ enum: ['private', 'shared'] }).notNull(),
    /** The owner's tenant at the last change: who else may read a shared view. */
    tenant: text(),
    is_default: boolean().notNull(),
    /** Counts the changes of `query`. */
    revision: integer().notNull().default(1),
    /** As it was sent: `jsonb` would lose the order of sorts that are one object. */
    query: json().$type<Readonly<Record<string, unknown>>>().notNull(),
    created_at: createdAt(),
    updated_at: createdAt(),
  },
  (view) => [
    unique('views_by_name').on(view.subject, view.table_name, view.name),
    index('views_shared').on(view.table_name, view.tenant, view.updated_at).where(sql`visibility = 'shared'`),
  ],
)

/** Actions that were planned: the rows on which their caller may run them. Rows are compressed by the database. */
export const plans = service.table(
  'plans',
  {
    id: uuid().primaryKey().defaultRandom(),
    subject: text().notNull(),
    guard: text().notNull(),
    table_name: text().notNull(),
    action: text().notNull(),
    kind: text({ enum: ['row_bulk', 'bulk'] }).notNull(),
    /** The `params` of the request, as JSON text to be compared. */
    params: text().notNull(),
    /** The fields of the form, and what else the run needs of the body, sealed. */
    request: json().$type<{ readonly sealed?: string }>().notNull(),
    /**
     * The keys of the rows, and their versions if they have any; or their number, if they are chunks of the job with
     * the plan's id.
     */
    rows: json()
      .$type<{ readonly keys: readonly string[]; readonly versions?: readonly string[]; readonly count?: number }>()
      .notNull(),
    created_at: createdAt(),
    expires_at: moment().notNull(),
    applied_at: moment(),
    /** The claims of the caller who applied it: `response` is shown to callers with the same claims only. */
    rights: text(),
    response: text(),
  },
  (plan) => [index('plans_by_subject').on(plan.subject, plan.expires_at), index('plans_by_expiry').on(plan.expires_at)],
)

/** Changes that their callers may undo. The rows of a change of cells are those of `cell_changes` with its id. */
export const undos = service.table(
  'undos',
  {
    /** The id of the change. */
    id: uuid().primaryKey(),
    subject: text().notNull(),
    guard: text().notNull(),
    table_name: text().notNull(),
    action: text().notNull(),
    /** The endpoint that has run the action, whose permission is checked again. */
    kind: text({ enum: ['row', 'row_bulk'] }).notNull(),
    /** The `params` of the request, as JSON text to be compared. */
    params: text().notNull(),
    /** The versions of rows after the change, by their keys, and the former values, sealed for the service alone. */
    rows: jsonb().$type<Readonly<Record<string, { readonly version?: string; readonly sealed?: string }>>>().notNull(),
    created_at: createdAt(),
    expires_at: moment().notNull(),
    undone_at: moment(),
  },
  (undo) => [index('undos_by_expiry').on(undo.expires_at)],
)

/** The first response to each `Idempotency-Key`, committed together with the effect that it tells of. */
export const idempotencyKeys = service.table(
  'idempotency_keys',
  {
    subject: text().notNull(),
    key: text().notNull(),
    request_hash: text().notNull(),
    response: text(),
    created_at: createdAt(),
  },
  (entry) => [
    primaryKey({ columns: [entry.subject, entry.key] }),
    index('idempotency_keys_by_age').on(entry.created_at),
  ],
)

/**
 * The allowances that callers have begun to use up, one row each: a bucket that fills again evenly. A full one needs no
 * row. The migration makes it UNLOGGED, because a crash of the server may refill every bucket.
 */
export const callerUsage = service.table(
  'caller_usage',
  {
    subject: text().notNull(),
    kind: text({ enum: ['requests', 'exports', 'mails'] }).notNull(),
    /** When the bucket is full again. */
    full_at: moment().notNull(),
    /** Whether the last charge was within the limit. */
    granted: boolean().notNull(),
  },
  (usage) => [primaryKey({ columns: [usage.subject, usage.kind] })],
)

/** Every action and export, with its outcome. Functions only add rows; the sweep removes old ones (`AUDIT_DAYS`). */
export const audit = service.table(
  'audit',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: createdAt(),
    subject: text().notNull(),
    table_name: text().notNull(),
    action: text().notNull(),
    guard: text().notNull(),
    kind: text({ enum: ['row', 'row_bulk', 'bulk', 'export', 'download', 'view', 'undo', 'erase'] }).notNull(),
    rows: integer().notNull(),
    filter_hash: text(),
    outcome: text().notNull(),
    request_id: text().notNull(),
    job_id: uuid(),
  },
  (entry) => [index('audit_by_subject').on(entry.subject, entry.at)],
)

/**
 * The cells that edits have changed, one row for each row of a table; the audit entry has the same `request_id`.
 * Functions only add rows; the sweep removes old ones (`HISTORY_DAYS`).
 */
export const cellChanges = service.table(
  'cell_changes',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: createdAt(),
    /** The same for all rows of one request. */
    change: uuid().notNull(),
    /** The change that this one has undone. */
    undoes: uuid(),
    subject: text().notNull(),
    table_name: text().notNull(),
    row_key: text().notNull(),
    /** The values by the table's attributes, as texts of Postgres. Those of a sensitive column are absent. */
    cells: jsonb()
      .$type<Readonly<Record<string, { readonly before?: string | null; readonly after?: string | null }>>>()
      .notNull(),
    request_id: text().notNull(),
  },
  (entry) => [
    index('cell_changes_by_row').on(entry.table_name, entry.row_key, entry.id),
    index('cell_changes_by_change').on(entry.change),
  ],
)
