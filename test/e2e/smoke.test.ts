import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { accountVariables } from '../../infra/local/local-account.ts'
import { runHere } from '../support/infra/command-here.ts'
import { bindPort } from '../support/network/bind-port.ts'
import { waitFor } from '../support/run/patience.ts'
import { type DemoIdentity, type DemoStack, startDemoStack } from '../support/stack/demo-stack.ts'
import { type CommandResult, runScript } from '../support/stack/run-command.ts'
import { storedFiles, storedState } from './stored-state.ts'

const boss: DemoIdentity = { sub: 'boss', role: 'supervisor' }
const origin = 'http://localhost:5173'
const report = z.object({
  seconds: z.number(),
  steps: z.array(
    z.object({
      step: z.string(),
      outcome: z.enum(['passed', 'failed', 'skipped']),
      ms: z.number(),
      detail: z.string(),
      advice: z.object({ likely: z.string(), fix: z.string() }).optional(),
    }),
  ),
})

describe('npm run smoke', () => {
  let stack: DemoStack
  beforeAll(async () => {
    stack = await startDemoStack()
  })
  afterAll(() => stack?.stop())

  const variables = () => ({ SMOKE_TOKEN: stack.createToken(boss) })
  const smoke = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runHere('infra/smoke/smoke.ts', args, { environment: { ...variables(), ...more } })
  const smokeHere = (...args: readonly string[]) =>
    readSteps(smoke(['--base-url', stack.facts().base_url, '--json', ...args]))
  const readSteps = async (command: Promise<CommandResult>) => {
    const { exitCode, stdout, stderr } = await command
    if (stdout === '') throw new Error(stderr)
    const { steps } = report.parse(JSON.parse(stdout))
    return { exitCode, steps, failed: steps.filter(({ outcome }) => outcome === 'failed') }
  }

  it('passes every step on a running service, and leaves nothing behind but what its README names', async () => {
    const before = await storedState(stack)
    const args = ['--base-url', stack.facts().base_url, '--json', '--origin', origin, '--toggle', 'bird_strikes/flag']
    const { exitCode, steps } = await readSteps(runScript('smoke', args, variables()))
    expect(steps.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    expect([exitCode, steps.length]).toEqual([0, 21])

    // A connection that has been closed is forgotten a moment later.
    await waitFor(async () => {
      const [open] = await stack.sql()`select count(*)::int as sockets from table_control.sockets`
      expect(open?.['sockets']).toBe(before.rows['table_control.sockets'])
    })
    const after = await storedState(stack)
    expect(after.content).toBe(before.content)
    expect(after.messages).toBe(0)
    const grown = Object.entries(after.rows).flatMap(([table, rows]) => {
      const more = rows - (before.rows[table] ?? 0)
      return more === 0 ? [] : [[table, more] as const]
    })
    expect(Object.fromEntries(grown)).toEqual({
      // Every action that was run, refused or ended as a job, and the revoked link.
      'table_control.audit': 9,
      'table_control.jobs': 2,
      'table_control.job_recipients': 1,
      'table_control.downloads': 1,
      // Kept for a day, for a client whose socket was away.
      'table_control.job_events': 4,
    })
    expect(after.files).toHaveLength(before.files.length + 1)
    const [link] = await stack.sql()`select revoked_at is null as works from table_control.downloads`
    expect(link?.['works']).toBe(false)

    await stack.sql()`update table_control.downloads set expires_at = now()`
    await waitFor(async () => expect(await storedFiles(stack)).toEqual(before.files))
  })

  it('finds the URL, the guards and an origin of a stage by the outputs of its stack', async () => {
    const cloudFormation = await cloudFormationWith(stack.facts().base_url)
    const { stdout, exitCode, stderr } = await smoke(['--stage', 'dev', '--table', 'flights'], {
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
      ...accountVariables,
    })
    expect(exitCode, stdout + stderr).toBe(0)
    expect(stdout).toContain(`Smoke test of ${stack.facts().base_url}`)
    expect(stdout).toContain(`CORS preflight of query-table: ${origin}`)
    expect(stdout).toMatch(/21 steps: 19 passed, 0 failed, 2 skipped, in \d+(\.\d)? s\n$/)
  })

  it('says what is wrong with the token, and does not try what needs one', async () => {
    const { exitCode, failed, steps } = await smokeHere('--token', 'nobody.signed.this')
    expect(exitCode).toBe(1)
    expect(failed.find(({ step }) => step.startsWith('list of tables'))).toMatchObject({
      detail: expect.stringContaining('401 instead of 200; unauthenticated'),
      advice: { fix: "Take a fresh access token of the issuer in the stage's auth settings" },
    })
    expect(steps.find(({ step }) => step === 'filter')?.outcome).toBe('skipped')
  })

  it('names a mail that SES refuses, and how to find out why', async () => {
    await stack.fault('ses', { code: 'MessageRejected', recipient: 'success@simulator.amazonses.com' })
    const { exitCode, failed } = await smokeHere()
    expect(exitCode).toBe(1)
    expect(failed).toMatchObject([
      { step: 'mail with a report of one row', advice: { fix: expect.stringContaining('npm run preflight') } },
    ])
  })

  it('names an address that the service does not allow', async () => {
    const { failed } = await smokeHere('--mail', 'someone@elsewhere.example')
    expect(failed).toMatchObject([{ advice: { fix: expect.stringContaining('mail.addresses') } }])
  })

  it('names an origin that may not call, and a toggle that there is not', async () => {
    const { failed } = await smokeHere('--origin', 'https://evil.example', '--toggle', 'flights/flag', '--mail', 'off')
    expect(failed.map(({ step }) => step)).toEqual([
      'CORS preflight of query-table',
      'row action that changes a row, and changes it back',
    ])
  })

  it('says that nothing answers under a URL', async () => {
    const { exitCode, stdout } = await smoke(['--base-url', 'http://127.0.0.1:9'])
    expect(exitCode).toBe(1)
    expect(stdout).toContain('The name does not resolve, nothing listens there')
    expect(stdout).toMatch(/0 passed, \d+ failed, \d+ skipped/)
  })

  it.each([
    [[], 'Name either --stage or --base-url'],
    [['--stage', 'dev', '--base-url', 'http://127.0.0.1'], 'Name either --stage or --base-url'],
    [['--stage', 'nowhere'], 'infra/stages.ts has no stage "nowhere"'],
    [['--base-url', '127.0.0.1:3000'], '--base-url is a URL'],
    [['--base-url', 'http://127.0.0.1', '--toggle', 'flag'], '--toggle is <table>/<action>'],
    [['--base-url', 'http://127.0.0.1', '--wait', 'long'], '--wait is a number of seconds'],
  ])('refuses %j in one line', async (args, message) => {
    const { exitCode, stderr } = await smoke(args)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
  })
})

/** The side of CloudFormation that names one output of one stack. */
async function cloudFormationWith(url: string): Promise<string> {
  const body = `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>
    <Stacks><member><StackName>table-control-dev</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime>
    <StackStatus>CREATE_COMPLETE</StackStatus><Outputs><member><OutputKey>Url</OutputKey><OutputValue>${url}</OutputValue>
    </member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' }).end(body)
  })
  const port = await bindPort(server)
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${port}`
}
