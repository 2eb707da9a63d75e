import PostalMime, { type Email } from 'postal-mime'
import postgres, { type Sql } from 'postgres'
import * as z from 'zod'
import { freePort } from '../../infra/local/free-port.ts'
import { mintToken } from '../../infra/local/identity/mint-token.ts'
import { loadSigningKey } from '../../infra/local/identity/signing-key.ts'
import type { ApiResponse } from '../support/requests/api.ts'
import { stackWorkspace } from '../support/stack/running-stack.ts'

const envelopes = z.array(z.object({ messageId: z.string(), tags: z.record(z.string(), z.string()) }))

/** A running demo and the caller of a benchmark, who is a supervisor. */
export interface DemoStack {
  readonly sql: Sql
  /**
   * Sends a body to a path of the service, or reads the path, and resolves with the response; rejects unless it
   * succeeded.
   */
  readonly send: (path: string, body?: object) => Promise<ApiResponse['json']>
  /** The mail that a job has sent, once SES has taken it. */
  readonly readMail: (jobId: string) => Promise<Email | undefined>
}

/** Runs `use` on a stack of its own, as `npm start` makes it. */
export async function withDemoStack<Result>(use: (stack: DemoStack) => Promise<Result>): Promise<Result> {
  const workspace = await stackWorkspace()
  try {
    const command = workspace.startDirectly(await freePort())
    const facts = await command.ready()
    const caller = mintToken(loadSigningKey(workspace.directory), {
      subject: 'bench',
      claims: { role: 'supervisor', email: 'bench@example.test' },
    })
    const sql = postgres(facts.database_url, { max: 1, onnotice: () => {} })
    const send: DemoStack['send'] = async (path, body) => {
      const response = await fetch(`${facts.base_url}/api/api-table/control-tables/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${caller}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
      return response.json()
    }
    const readMail: DemoStack['readMail'] = async (jobId) => {
      const sent = envelopes.parse(await (await fetch(`${facts.ses_endpoint}/envelopes`)).json())
      const found = sent.find(({ tags }) => tags['job_id'] === jobId)
      if (found === undefined) return undefined
      const raw = await fetch(`${facts.ses_endpoint}/envelopes/${found.messageId}.eml`)
      return PostalMime.parse(await raw.arrayBuffer())
    }
    try {
      return await use({ sql, send, readMail })
    } finally {
      await sql.end({ timeout: 5 })
      command.interrupt()
      await command.exitCode
    }
  } finally {
    await workspace.remove()
  }
}
