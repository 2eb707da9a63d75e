import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import * as z from 'zod'

export interface Mailbox {
  /** A page; `/store` below it lists the mails as JSON. */
  readonly url: string
  /** Shows a MIME message; resolves with its id. */
  readonly deliver: (raw: Buffer) => Promise<string>
  /** Resolves when it has ended, whether stopped or of itself. */
  readonly ended: Promise<unknown>
  readonly stop: () => Promise<void>
}

const accepted = z.object({ MessageId: z.string() })

/**
 * Starts the mailbox on a free port of 127.0.0.1, in a thread of its own: it takes long to load, and its mails, which
 * it keeps in memory, belong to the thread.
 */
export async function startMailbox(): Promise<Mailbox> {
  // With this variable the tool would hand every mail on to a real server.
  const env = { ...process.env, SMTP_TRANSPORT: '' }
  const thread = new Worker(new URL('./mailbox-worker.ts', import.meta.url), { env })
  const ended = once(thread, 'exit').catch(() => undefined)
  const [port] = await once(thread, 'message')
  const url = `http://127.0.0.1:${z.int().parse(port)}`
  return {
    url,
    ended,
    deliver: async (raw) => {
      const response = await fetch(`${url}/v2/email/outbound-emails`, {
        method: 'POST',
        headers: { authorization: 'AWS local', 'content-type': 'application/json' },
        body: JSON.stringify({ Content: { Raw: { Data: raw.toString('base64') } } }),
      })
      if (!response.ok) throw new Error(`The mailbox refused a mail: ${response.status} ${await response.text()}`)
      return accepted.parse(await response.json()).MessageId
    },
    stop: async () => {
      await thread.terminate()
    },
  }
}
