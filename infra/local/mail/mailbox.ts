import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'

/** An accepted mail, with the recipients of its envelope in the header. */
export interface ShownMail {
  readonly messageId: string
  readonly acceptedAt: string
  readonly raw: Buffer
}

export interface Mailbox {
  /** A page; `/store` below it lists the mails as JSON. */
  readonly url: string
  /** Adds a mail. Before somebody opens the page, it is only one of those that are kept. */
  readonly show: (mail: ShownMail) => Promise<void>
  /** Resolves when it has ended, whether stopped or of itself. */
  readonly ended: Promise<unknown>
  readonly stop: () => Promise<void>
}

/**
 * Starts the mailbox on a free port of 127.0.0.1. The tool behind it takes a third of a second of a processor to load,
 * and parses each mail: both wait for the first reader, who finds the mails of `listKept`.
 */
export async function startMailbox(listKept: () => readonly ShownMail[]): Promise<Mailbox> {
  let opened: ReturnType<typeof openMailbox> | undefined
  const open = () => {
    if (opened !== undefined) return opened
    opened = openMailbox(listKept())
    void opened.ended.then(() => server.close())
    return opened
  }
  const server = createServer((socket) => {
    // Either side may break off.
    const forward = async () => pipeline(socket, connect(await open().port, '127.0.0.1'), socket)
    void forward().catch(() => socket.destroy())
  })
  const ended = once(server, 'close')
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    ended,
    show: async (mail) => opened?.show(mail),
    stop: async () => {
      server.close()
      await opened?.stop()
    },
  }
}

/** Loads the tool in a thread of its own, because its mails belong to the thread. */
function openMailbox(mails: readonly ShownMail[]) {
  // With this variable the tool would hand every mail on to a real server.
  const env = { ...process.env, SMTP_TRANSPORT: '' }
  const thread = new Worker(new URL('./mailbox-worker.ts', import.meta.url), { env, workerData: mails })
  const ended = once(thread, 'exit').catch(() => undefined)
  const failed = ended.then(() => Promise.reject(new Error('The mailbox has ended')))
  const hear = async () => (await Promise.race([once(thread, 'message'), failed]))[0]
  const port: Promise<number> = hear()
  let last: Promise<unknown> = port
  const show = async (mail: ShownMail) => {
    // One after the other: the thread says of each that it is shown.
    last = last.then(() => {
      thread.postMessage(mail)
      return hear()
    })
    await last
  }
  return { port, ended, show, stop: () => thread.terminate() }
}
