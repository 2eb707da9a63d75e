import { expect, onTestFinished } from 'vitest'
import {
  type ClientOptions,
  createTableClient,
  type Message,
  type TableClient,
  TableError,
} from '../../../lib/client/index.ts'
import type { registry } from '../../../tables/index.ts'
import { eventually } from '../run/patience.ts'
import type { DemoIdentity, DemoStack } from '../stack/demo-stack.ts'

export type DemoClient = TableClient<typeof registry>

/** The typed client of a running stack, as a page of the same repository would make it. */
export const createClient = (stack: DemoStack, as: DemoIdentity, options: Partial<ClientOptions> = {}): DemoClient =>
  createTableClient<typeof registry>({
    baseUrl: stack.facts().base_url,
    token: () => stack.createToken(as),
    ...options,
  })

/** The error that a promise rejects with, which is one of the client's. */
export async function createFailure(promise: Promise<unknown>): Promise<TableError> {
  const error = await promise.then(
    () => expect.unreachable('it succeeded'),
    (reason: unknown) => reason,
  )
  if (error instanceof TableError) return error
  throw error
}

/** A fetch that keeps what is asked for, and may answer in place of the service. */
export function spy(response: (count: number) => Response | undefined = () => undefined) {
  const requests: Request[] = []
  const send: typeof fetch = async (input, init) => {
    requests.push(new Request(input, init))
    return response(requests.length) ?? fetch(input, init)
  }
  return { send, requests }
}

/** The response of a service that is unavailable for a moment. */
export const unavailable = (code = 'unavailable') =>
  new Response(JSON.stringify({ success: false, code, message: 'Later' }), {
    status: 503,
    headers: { 'retry-after': '0' },
  })

/** An open report of bird strikes: the page tells which, so that tests need not share one. */
export async function openReport(client: DemoClient, page: number) {
  const query = { filters: [{ field: 'status', value: 'open' }], perPage: 1, page } as const
  const [item] = (await client.queryTable('bird_strikes', query)).items
  if (item === undefined) throw new Error('no open report is left')
  return item
}

/** Collects the messages of a client's connection from its opening to the end of the test. */
export async function listeningTo(client: DemoClient) {
  const messages: Message[] = []
  const states: string[] = []
  const { close } = client.connect({
    onMessage: (message) => messages.push(message),
    onState: (state) => states.push(state),
  })
  onTestFinished(close)
  const until = (met: () => boolean) =>
    eventually(
      async () => met() || undefined,
      () => ({ messages, states }),
    )
  await until(() => states.includes('open'))
  return { messages, states, until, close }
}
