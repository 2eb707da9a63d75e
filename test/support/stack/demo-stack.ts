import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import type { Fault } from '../../../infra/local/faults.ts'
import { mintToken } from '../../../infra/local/identity/mint-token.ts'
import { loadSigningKey } from '../../../infra/local/identity/signing-key.ts'
import type { StackFacts } from '../../../infra/local/stack-facts.ts'
import { assertDescribedDemo } from '../openapi/described-demo.ts'
import type { ApiResponse } from '../requests/api.ts'
import { isAlive } from '../run/is-alive.ts'
import { claimPort } from './claim-port.ts'
import { stackWorkspace } from './running-stack.ts'
import { copySeededCluster } from './seeded-cluster.ts'

/** A caller of the running stack: an analyst of some states, or a supervisor. */
export interface DemoIdentity {
  readonly sub: string
  readonly role?: string
  readonly states?: readonly string[]
  readonly email?: string
  readonly email_verified?: boolean
}

export interface DemoRequest {
  /** Without anybody the request has no token. */
  readonly as?: DemoIdentity
  /** Makes it a POST. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface DemoStack {
  /** The content of stack.json for the present run. */
  readonly facts: () => StackFacts
  /** Its Postgres, without any of the service in between. */
  readonly sql: () => Sql
  readonly createToken: (identity: DemoIdentity) => string
  /** Calls an endpoint of the guard `api`; redirects are responses. */
  readonly call: (path: string, request?: DemoRequest) => Promise<ApiResponse>
  /** Lets a service fail as asked; until `cleared`. */
  readonly fault: (service: 'ses' | 'sqs', fault: Fault | readonly Fault[]) => Promise<void>
  readonly cleared: () => Promise<void>
  /** Ends the process at once and starts another one on what it leaves behind. `between` runs while there is none. */
  readonly killAndStart: (between?: () => Promise<void>) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts a stack of its own as `npm start` does, on a database that is filled already. It looks for lost jobs each
 * second; stop it in `afterAll`.
 */
export async function startDemoStack(
  variables: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<DemoStack> {
  const workspace = await stackWorkspace({ LOCAL_SWEEP_SECONDS: '1', ...variables })
  await copySeededCluster(workspace.directory)
  const port = await claimPort()
  const start = async () => {
    const command = workspace.startDirectly(port, ...args)
    const read = await command.ready()
    return { command, read, sql: postgres(read.database_url, { max: 2, onnotice: () => {} }) }
  }
  let run = await start().catch(async (error) => {
    await workspace.remove()
    throw error
  })
  const key = loadSigningKey(workspace.directory)
  const createToken = ({ sub, ...claims }: DemoIdentity) => mintToken(key, { subject: sub, claims })
  const tokens = new Map<string, string>()
  /** Signs a token once for all requests of a caller: a signature takes milliseconds of a processor. */
  const findToken = (identity: DemoIdentity) => {
    const caller = JSON.stringify(identity)
    const token = tokens.get(caller) ?? createToken(identity)
    tokens.set(caller, token)
    return token
  }
  const endpoints = () => ({ ses: run.read.ses_endpoint, sqs: run.read.sqs_endpoint })
  return {
    createToken,
    facts: () => run.read,
    sql: () => run.sql,
    call: (path, { as, ...request } = {}) =>
      call(`${run.read.base_url}/api/api-table/control-tables/${path}`, as && findToken(as), request),
    fault: async (service, fault) => {
      const { status } = await fetch(`${endpoints()[service]}/faults`, { method: 'POST', body: JSON.stringify(fault) })
      if (status !== 204) throw new Error(`the fault was answered ${status}`)
    },
    cleared: async () => {
      for (const endpoint of Object.values(endpoints())) await fetch(`${endpoint}/faults`, { method: 'DELETE' })
    },
    killAndStart: async (between) => {
      await kill(run.read.pid)
      await between?.()
      await run.sql.end({ timeout: 5 })
      rmSync(join(workspace.directory, 'stack.json'), { force: true })
      run = await start()
    },
    stop: async () => {
      await run.sql.end({ timeout: 5 })
      run.command.interrupt()
      await run.command.exitCode
      await workspace.remove()
    },
  }
}

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  while (isAlive(pid)) await sleep(10)
}

async function call(url: string, token: string | undefined, { body, headers }: DemoRequest): Promise<ApiResponse> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const received = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
    bytes,
    text,
  }
  assertDescribedDemo(url, body, received)
  return received
}
