import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { localCredentials } from '../../infra/local/local-account.ts'
import type { StackFacts } from '../../infra/local/stack-facts.ts'
import { waitFor } from '../support/run/patience.ts'
import { openSocket } from '../support/sockets/socket-client.ts'
import { claimPort } from '../support/stack/claim-port.ts'
import { type StackCommand, type StackWorkspace, stackWorkspace } from '../support/stack/running-stack.ts'

const minutes = 60_000
const local = /^http:\/\/127\.0\.0\.1:\d+$/

/** The parts of a response that these tests check. */
const rowsResponse = z.object({
  items: z.array(z.object({ origin_state: z.string().nullish() })).default([]),
  pagination: z.object({ total: z.number() }).optional(),
})

let workspace: StackWorkspace
let port: number

beforeAll(async () => {
  workspace = await stackWorkspace({ LOCAL_VISIBILITY_SECONDS: '1', LOG_LEVEL: 'info' })
  port = await claimPort()
})
afterAll(() => workspace.remove())

describe('npm run token', () => {
  it('prints nothing but a token, before the stack has ever started', async () => {
    const printed = await workspace.shell('npm run --silent token -- --sub alice')
    expect(printed).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  })

  it('takes lists, texts and a lifetime for claims', async () => {
    const token = await workspace.token(
      '--sub',
      'alice',
      '--claim',
      'states=Texas,Ohio',
      '--claim',
      'role=x',
      '--expires',
      '60',
    )
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ sub: 'alice', states: ['Texas', 'Ohio'], role: 'x', token_use: 'access' })
    expect(claims.exp - claims.iat).toBe(60)
  })

  it.each([
    [[], '--sub is needed'],
    [['--sub', 'a', '--expires', 'soon'], '--expires is a whole number of seconds'],
    [['--sub', 'a', '--claim', 'states'], '--claim is <name>=<value>'],
    [['--subject', 'a'], "Unknown option '--subject'"],
  ])('says what is wrong with %j', async (args, message) => {
    await expect(workspace.token(...args)).rejects.toThrow(message)
  })
})

describe('npm start', () => {
  it('prints its usage on request', async () => {
    const command = workspace.start(port, '--help')
    expect(await command.exitCode).toBe(0)
    expect(command.output()).toContain('Usage: npm start')
    expect(await workspace.leftOvers()).toEqual([])
  })

  it.each(['--flights all', '--cold'])('says that npm keeps %s where no -- precedes it', async (options) => {
    const output = await workspace.shell(`npm start ${options} 2>&1 || true`)
    expect(output).toContain(`npm took ${options.split(' ')[0]} for itself; write "--" before it`)
  })

  it('says in one line that the port is taken, and starts nothing', async () => {
    const blocker = createServer()
    await new Promise<void>((listening) => blocker.listen(port, '127.0.0.1', listening))
    const command = workspace.start(port)
    expect(await command.exitCode).toBe(1)
    blocker.close()
    expect(command.output().match(/taken/g)).toHaveLength(1)
    expect(command.output()).toContain(`Port ${port} is taken.`)
    expect(existsSync(join(workspace.directory, 'postgres'))).toBe(false)
    expect(await workspace.leftOvers()).toEqual([])
  })

  it('can be interrupted while it loads', async () => {
    const command = workspace.start(port)
    await command.printed('rows of flights')
    command.interrupt()
    expect(await command.exitCode).toBe(130)
    expect(await workspace.leftOvers()).toEqual([])
    expect(existsSync(join(workspace.directory, 'stack.json'))).toBe(false)
  })

  describe('once it is ready', () => {
    let command: StackCommand
    let facts: StackFacts
    const call = async (path: string, token: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(`${facts.base_url}/api/api-table/control-tables/${path}`, init)
      return { status: response.status, body: rowsResponse.parse(await response.json()) }
    }

    beforeAll(async () => {
      command = workspace.start(port)
      facts = await command.ready()
    }, 5 * minutes)

    it('says in stack.json where everything is', () => {
      expect(facts).toMatchObject({
        base_url: `http://127.0.0.1:${port}`,
        database_url: expect.stringMatching(/^postgres:\/\/.*@127\.0\.0\.1:/),
        jwks_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\.well-known\/jwks\.json$/),
        websocket_url: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/local$/),
        mailbox_url: expect.stringMatching(local),
        sqs_endpoint: expect.stringMatching(local),
        s3_endpoint: expect.stringMatching(local),
        ses_endpoint: expect.stringMatching(local),
        queue_url: `${facts.sqs_endpoint}/000000000000/table-control-reports`,
        dead_letter_queue_url: `${facts.sqs_endpoint}/000000000000/table-control-reports-dead`,
        pid: expect.any(Number),
      })
    })

    it('shows an empty mailbox, as a page and as JSON', async () => {
      expect(await (await fetch(facts.mailbox_url)).text()).toContain('<html')
      expect(await (await fetch(`${facts.mailbox_url}/store`)).json()).toMatchObject({ emails: [] })
    })

    it('opens a WebSocket to a client with a token, and to no other', async () => {
      const url = facts.websocket_url
      const { socket, received } = await openSocket(url, ['bearer', await workspace.token('--sub', 'alice')])
      socket.send('{"event":"ping"}')
      await waitFor(() => expect(received).toEqual(['{"event":"pong"}']))
      await expect(openSocket(url)).rejects.toThrow('refused: 401')
    })

    it('counts the rows of a query over a WebSocket', async () => {
      const token = await workspace.token('--sub', 'alice', '--claim', 'role=supervisor')
      const { socket, received } = await openSocket(facts.websocket_url, ['bearer', token])
      socket.send(JSON.stringify({ event: 'count', token, table: 'bird_strikes', query: { request_seq: 7 } }))
      await waitFor(() => expect(received).toHaveLength(1))
      expect(JSON.parse(`${received[0]}`)).toMatchObject({ event: 'query.total', seq: 7, data: { total: 10_000 } })
    })

    it('moves an unreadable message to the dead-letter queue in the end', async () => {
      const client = new SQSClient({ endpoint: facts.sqs_endpoint, ...localCredentials })
      onTestFinished(() => client.destroy())
      await client.send(new SendMessageCommand({ QueueUrl: facts.queue_url, MessageBody: 'not a job' }))
      const asked = { QueueUrl: facts.dead_letter_queue_url, WaitTimeSeconds: 20 }
      const { Messages } = await client.send(new ReceiveMessageCommand(asked))
      expect(Messages?.map(({ Body }) => Body)).toEqual(['not a job'])
    })

    it('has the rows of an interrupted start exactly once', async () => {
      const token = await workspace.token('--sub', 'boss', '--claim', 'role=supervisor')
      const totals = await Promise.all(
        ['flights', 'airports', 'bird_strikes'].map(async (table) => {
          const { body } = await call(`query-table/${table}`, token, { perPage: 1 })
          return body.pagination?.total
        }),
      )
      expect(totals).toEqual([200_000, 3_376, 10_000])
    })

    it('shows an analyst the states of the token only', async () => {
      const token = await workspace.token('--sub', 'alice', '--claim', 'states=Texas,Ohio')
      const { body } = await call('query-table/bird_strikes', token, { perPage: 100 })
      const states = new Set(body.items.map(({ origin_state }) => origin_state))
      expect([...states].filter((state) => state !== 'Texas' && state !== 'Ohio')).toEqual([])
      expect(body.pagination?.total).toBe(1_705)
    })

    it('refuses a token that has expired', async () => {
      const token = await workspace.token('--sub', 'alice', '--claim', 'states=Texas,Ohio', '--expires', '-60')
      expect((await call('load-table/bird_strikes', token)).status).toBe(401)
    })

    it('prints requests that work as they stand', async () => {
      await command.printed('email_report')
      const lines = command
        .output()
        .split('\n')
        .filter((line) => line.startsWith('  curl '))
      expect(lines).toHaveLength(4)
      for (const line of lines) expect(JSON.parse(await workspace.shell(line))).toMatchObject({ success: true })
    })

    it('says that it runs already when it is started a second time', async () => {
      const second = workspace.startDirectly(await claimPort())
      expect(await second.exitCode).toBe(1)
      expect(second.output()).toContain(`already running on ${workspace.directory}`)
      expect((await fetch(facts.jwks_url)).status).toBe(200)
    })

    it('leaves nothing running after Ctrl-C', async () => {
      command.interrupt()
      expect(await command.exitCode).toBe(0)
      expect(await workspace.leftOvers()).toEqual([])
      expect(existsSync(join(workspace.directory, 'stack.json'))).toBe(false)
      await expect(fetch(facts.base_url)).rejects.toThrow()
    })
  })

  it('ends altogether, and says why, when Postgres is lost', async () => {
    const command = workspace.startDirectly(port)
    await command.ready()
    const [pid] = readFileSync(join(workspace.directory, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGKILL')
    expect(await command.exitCode).toBe(1)
    expect(command.output().match(/has ended/g)).toHaveLength(1)
    expect(command.output()).toContain('Postgres has ended')
    expect(await workspace.leftOvers()).toEqual([])
  })

  it('ends when it prints a line after its output was closed', async () => {
    const command = workspace.startDirectly(port)
    const { base_url } = await command.ready()
    await command.printed('Table Control is ready')
    command.closeOutput()
    // Its log line is the first one without a reader; the response may be lost with the stack.
    await Promise.allSettled([fetch(`${base_url}/missing`)])
    await command.exitCode
    expect(await workspace.leftOvers()).toEqual([])
    expect(existsSync(join(workspace.directory, 'stack.json'))).toBe(false)
  })

  it('starts a fresh process for each event with --cold', async () => {
    const command = workspace.startDirectly(port, '--cold')
    const { base_url, websocket_url } = await command.ready()
    const { socket, received } = await openSocket(websocket_url, ['bearer', await workspace.token('--sub', 'alice')])
    socket.send('{"event":"ping"}')
    await waitFor(() => expect(received).toEqual(['{"event":"pong"}']))
    const response = await fetch(`${base_url}/missing`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 'route_not_found' })
    command.interrupt()
    expect(await command.exitCode).toBe(0)
  })
})
