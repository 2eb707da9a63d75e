import { setTimeout as sleep } from 'node:timers/promises'
import { findExport, findFirst, type IsExport } from './action-steps.ts'
import { type LiveTriggers, takeLiveTables } from './live-step.ts'
import type { TableWithRow } from './reading-steps.ts'
import { callPassing, callService, endpointPath, expectStatus, readBody, type SmokeTarget } from './service-call.ts'
import { openSmokeSocket, type SmokeSocket } from './smoke-socket.ts'
import { StepFailure, StepSkipped } from './step-failure.ts'
import type { Steps } from './steps.ts'
import { type JobState, jobState, startedJob, ticket } from './wire.ts'

export interface JobStepOptions {
  readonly isExport: IsExport
  readonly liveTriggers: LiveTriggers
  /** Recipient of the mail; `undefined`: no mail. */
  readonly mailTo: string | undefined
  /** How long a job may take. */
  readonly waitMs: number
}

const over: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'unknown'])

/** Opens a WebSocket, and runs a job with progress, its download and a mail. Each link it gets is revoked. */
export async function takeJobSteps(
  steps: Steps,
  target: SmokeTarget,
  tables: readonly TableWithRow[] | undefined,
  options: JobStepOptions,
): Promise<void> {
  const socket = await takeSocket(steps, target)
  try {
    await takeRefusedSocket(steps, socket)
    await takeLiveTables(steps, target, socket, tables, options.liveTriggers)
    const link = await takeLiveJob(steps, target, socket, tables, options)
    await takeDownload(steps, target, link)
  } finally {
    await socket?.close()
  }
  await takeMail(steps, target, tables, options)
}

const socketAdvice = {
  likely: 'The WebSocket API is not reached, or $connect fails: with a domain, DNS of its `sockets` name',
  fix: 'Compare with the stack\'s output WebSocketUrl; then the log of socket-connect (RUNBOOK.md, "Requests fail")',
}

function takeSocket(steps: Steps, target: SmokeTarget) {
  return steps.take({
    name: 'WebSocket by a ticket, and a ping',
    advice: socketAdvice,
    given: target,
    run: async () => {
      const { url } = readBody(ticket, await callPassing(target, endpointPath(target, 'socket-ticket'), { body: {} }))
      const socket = await openSmokeSocket(url, socketAdvice)
      await socket.ping().catch(async (error: unknown) => {
        await socket.close()
        throw error
      })
      return { seen: socket, detail: new URL(url).origin }
    },
  })
}

function takeRefusedSocket(steps: Steps, socket: SmokeSocket | undefined) {
  return steps.take({
    name: 'refusal of a WebSocket with a bad token',
    advice: socketAdvice,
    given: socket,
    run: async ({ address }) => {
      const opened = await openSmokeSocket(address, socketAdvice, ['bearer', 'nobody.signed.this']).catch(
        () => undefined,
      )
      await opened?.close()
      if (opened !== undefined)
        throw new StepFailure('a WebSocket opened for a token without a valid signature', {
          likely: '$connect is not the function of this service',
          fix: 'Take the stage out of service and compare its routes with the template',
        })
      return { seen: true, detail: 'refused at the handshake' }
    },
  })
}

function takeLiveJob(
  steps: Steps,
  target: SmokeTarget,
  socket: SmokeSocket | undefined,
  tables: readonly TableWithRow[] | undefined,
  { isExport, waitMs }: JobStepOptions,
) {
  return steps.take({
    name: 'job, its progress by push, and its file',
    advice: {
      likely: 'The worker cannot do the job, or its pushes do not reach the caller',
      fix: 'RUNBOOK.md, "Jobs wait" and "Jobs fail"; pushes: the log of report-worker',
    },
    given: socket && tables && { socket, tables },
    run: async ({ socket, tables }) => {
      const missing = 'no table has an export with the response "websocket"'
      const chosen = findFirst(tables, ({ table }) => findExport(table, 'websocket', isExport), missing)
      const id = await startJob(target, chosen, {})
      const job = await waitForJobEnd(target, id, waitMs)
      if (job.status !== 'succeeded') throw createJobFailure(id, job)
      await socket.waitForChannelEvent(`job:${id}`, 'bulk_action.completed', 10_000)
      const { result } = job
      if (result?.url === undefined) throw new StepFailure(`job ${id} has made no file`)
      return { seen: result.url, detail: `${chosen.table.tableName}/${chosen.found}, job ${id}` }
    },
  })
}

type Chosen = TableWithRow & { readonly found: string }

async function startJob(target: SmokeTarget, { table, row, found }: Chosen, more: object): Promise<string> {
  const path = endpointPath(target, 'bulk-table-action', table.tableName, found)
  const body = { selected_ids: [row.id], expected_count: 1, ...more }
  return readBody(startedJob, await callPassing(target, path, { body })).job.id
}

/** Waits for the end of a job. A job that does not end is cancelled, so that nothing of it runs later. */
async function waitForJobEnd(target: SmokeTarget, id: string, waitMs: number): Promise<JobState> {
  const end = performance.now() + waitMs
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    const { job } = readBody(jobState, await callPassing(target, endpointPath(target, 'jobs', id)))
    if (over.has(job.status)) return job
    if (performance.now() > end) {
      await callService(target, endpointPath(target, 'jobs', id, 'cancel'), { body: {} })
      throw new StepFailure(`job ${id} is still ${job.status} after ${Math.round(waitMs / 1000)} s; it was cancelled`, {
        likely:
          job.status === 'queued'
            ? 'The queue does not call report-worker: its event source mapping is disabled, or every worker is busy'
            : 'The worker is slow, or was ended',
        fix: 'RUNBOOK.md, "Jobs wait"; or --wait for longer',
      })
    }
    await sleep(pauseMs)
  }
}

const createJobFailure = (id: string, { status, code, errors }: JobState) =>
  new StepFailure(`job ${id} ended ${status}: ${code ?? ''} ${errors?.[0] ?? ''}`.trimEnd())

function takeDownload(steps: Steps, target: SmokeTarget, link: string | undefined) {
  return steps.take({
    name: 'download link: opened, revoked, dead',
    advice: {
      likely: 'The link leads to another host than this one, or the function may not read the bucket',
      fix: "Compare the link's host with the stack's output Url; then the log of download",
    },
    given: link,
    run: async (link) => {
      try {
        const opened = await callService(target, link, { token: null })
        expectStatus(opened, 302)
        const file = await callService(target, opened.headers.get('location') ?? '', { token: null })
        if (file.status !== 200 || file.bytes.length === 0)
          throw new StepFailure(`the storage answered ${file.status} with ${file.bytes.length} bytes`)
        return { seen: true, detail: `${file.bytes.length} bytes` }
      } finally {
        await revoke(target, link)
      }
    },
  })
}

async function revoke(target: SmokeTarget, link: string): Promise<void> {
  await callPassing(target, `${link}/revoke`, { body: {} })
  expectStatus(await callService(target, link, { token: null }), 404, 'download_not_found')
}

const mailAdvice = {
  likely: 'SES refuses the mail: the identity of the sender is not verified, or the account may not send',
  fix: 'npm run preflight -- --stage <name>; then RUNBOOK.md, "Mails are refused"',
}

function takeMail(
  steps: Steps,
  target: SmokeTarget,
  tables: readonly TableWithRow[] | undefined,
  { isExport, mailTo, waitMs }: JobStepOptions,
) {
  return steps.take({
    name: 'mail with a report of one row',
    advice: mailAdvice,
    given: tables,
    run: async (tables) => {
      if (mailTo === undefined) throw new StepSkipped('the stage sends no mails, or --mail is off')
      const missing = 'no table has an export with the response "email"'
      const chosen = findFirst(tables, ({ table }) => findExport(table, 'email', isExport), missing)
      const id = await startJob(target, chosen, { emails: [mailTo] }).catch((error: unknown) => {
        throw isRefusedRecipient(error) ? notAllowed(mailTo, error) : error
      })
      const job = await waitForJobEnd(target, id, waitMs)
      const [recipient] = job.recipients ?? []
      if (job.status !== 'succeeded' || recipient?.status !== 'sent')
        throw new StepFailure(
          `${createJobFailure(id, job).message} (${recipient?.status} ${recipient?.code ?? ''})`,
          mailAdvice,
        )
      return { seen: true, detail: `to ${mailTo}, job ${id}` }
    },
  })
}

const isRefusedRecipient = (error: unknown): error is StepFailure =>
  error instanceof StepFailure && error.message.includes('recipient_not_allowed')

const notAllowed = (address: string, cause: StepFailure) =>
  new StepFailure(cause.message, {
    cause,
    likely: `${address} is neither in mail.domains nor in mail.addresses of the stage`,
    fix: `Add ${address} to mail.addresses and deploy; or name an allowed address by --mail`,
  })
