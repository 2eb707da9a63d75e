import * as z from 'zod/mini'
import { plan, refusedRows, replayedPlan } from './plan-responses.ts'
import { effects, warning } from './table-responses.ts'
import {
  authored,
  code,
  count,
  counts,
  link,
  moment,
  olderLink,
  responseOnSuccess,
  rowId,
  rowResult,
  texts,
  uuid,
} from './wire-values.ts'

/** A notification; its sender decides what `data` holds. */
export const notification = z.object({
  id: z.int(),
  title: z.string(),
  body: z.string(),
  level: z.enum(['info', 'success', 'warning', 'danger']),
  created_at: moment,
  read_at: z.nullable(moment),
  data: authored,
})

/** A page of the caller's notifications, the newest first. */
export const notificationList = z.object({
  success: z.literal(true),
  items: z.array(notification),
  unread_count: count,
  next: z.nullable(z.int()),
})

/** How many notifications were marked, and how many are left. */
export const readNotifications = z.object({ success: z.literal(true), updated: count, unread_count: count })

const jobState = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled', 'unknown'])

const recipient = z.object({
  address: z.string(),
  status: z.enum(['pending', 'sending', 'sent', 'failed', 'unknown']),
  code: z.optional(code),
})

/**
 * The result of a job: a file, a report, the conclusion of an action, or the plan that it made as `plan`. A job that
 * ended early has only some of its keys.
 */
export const jobResult = z.object({
  message: z.optional(z.string()),
  rows: z.optional(count),
  counts: z.optional(counts),
  results: z.optional(z.array(rowResult)),
  refused: z.optional(z.array(refusedRows)),
  plan: z.optional(plan),
  type: z.optional(z.literal('stream')),
  url: z.optional(z.string()),
  file_name: z.optional(z.string()),
  data: z.optional(authored),
})

/** A job of the caller. */
export const job = z.object({
  id: uuid,
  status: jobState,
  action: z.string(),
  table: z.string(),
  response: z.enum(['email', 'notification', 'websocket']),
  done: count,
  total: z.nullable(count),
  created_at: moment,
  started_at: z.nullable(moment),
  finished_at: z.nullable(moment),
  result: z.optional(jobResult),
  code: z.optional(code),
  errors: z.optional(texts),
  counts: z.optional(counts),
  cancel_requested: z.optional(z.literal(true)),
  recipients: z.optional(z.array(recipient)),
})

export const jobEvent = z.object({
  event: z.enum(['bulk_action.started', 'bulk_action.progress', 'bulk_action.completed', 'bulk_action.failed']),
  channel: z.string(),
  id: uuid,
  seq: count,
  data: authored,
})

/** `events` only where `after` was given. */
export const jobResponse = z.object({ success: z.literal(true), job, events: z.optional(z.array(jobEvent)) })

const begunJob = z.object({ id: uuid, status: z.literal('queued') })

const outcome = {
  onSuccess: z.optional(responseOnSuccess),
  message: z.optional(z.string()),
  counts: z.optional(z.union([counts, z.object({ selected: count })])),
  results: z.optional(z.array(rowResult)),
  not_found: z.optional(z.array(rowId)),
}

const warnings = z.optional(z.array(warning))

const file = { type: z.optional(z.literal('stream')), file_name: z.optional(z.string()) }

/** The response of an action that works at once: its outcome, and a link to a file that it made. */
const instantResponse = z.object({
  success: z.literal(true),
  ...outcome,
  ...replayedPlan,
  ...file,
  rows: z.optional(count),
  warnings,
  effects: z.optional(effects),
  data: z.optional(z.intersection(authored, z.partial(z.looseObject({ ...link.shape, ...olderLink })))),
  notification: z.optional(notification),
})

const queuedResponse = z.object({
  success: z.literal(true),
  message: z.string(),
  ...replayedPlan,
  onSuccess: z.optional(z.literal('reload')),
  results: z.optional(z.array(rowResult)),
  job: begunJob,
  not_found: z.optional(z.array(rowId)),
  warnings,
  broadcast: z.optional(z.object({ event: z.literal('bulk_action.completed'), channel: z.string() })),
  notification: z.optional(notification),
})

const planned = z.object({ success: z.literal(true), plan, warnings })

const dryRun = z.object({
  success: z.literal(true),
  dry_run: z.literal(true),
  counts: z.object({ selected: count }),
  warnings,
})

/** The response of a bulk action, by its `action_response`: the outcome, a notification or the job. */
export const bulkResponse = z.union([planned, dryRun, queuedResponse, instantResponse])

export const socketTicket = z.object({
  success: z.literal(true),
  ticket: z.string(),
  url: z.string(),
  expires_in: count,
})

/** A link to a file, as its requester sees it; `url` is null once it is revoked. */
export const download = z.object({
  id: uuid,
  url: z.nullable(z.string()),
  filename: z.string(),
  content_type: z.string(),
  bytes: count,
  table: z.nullable(z.string()),
  action: z.nullable(z.string()),
  job_id: z.nullable(uuid),
  recipient: z.nullable(z.string()),
  created_at: moment,
  expires_at: moment,
  revoked_at: z.nullable(moment),
})

export const downloadResponse = z.object({ success: z.literal(true), download })

/** A page of the links that the caller requested, the newest first. */
export const downloadList = z.object({
  success: z.literal(true),
  items: z.array(download),
  next: z.nullable(z.string()),
})

export const done = z.object({ success: z.literal(true) })
