import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFreshAssembly } from '../../infra/local/assembly/fresh-assembly.ts'
import { errorMessage } from '../../infra/local/error-message.ts'
import { startStack } from '../../infra/local/stack.ts'
import type { StackHost } from '../../infra/local/stack-host.ts'
import { readStartOptions } from '../../infra/local/start-options.ts'
import { claimPort } from '../support/stack/claim-port.ts'
import { type StackCommand, type StackWorkspace, stackWorkspace } from '../support/stack/running-stack.ts'
import { copySeededCluster } from '../support/stack/seeded-cluster.ts'
import { assembly, assemblyCopy, type EditedTemplate, type TemplateResource } from './assembly-copy.ts'

let workspace: StackWorkspace
let port: number

beforeAll(async () => {
  await assembly()
  workspace = await stackWorkspace()
  port = await claimPort()
})
afterAll(() => workspace?.remove())

const listVariables = (resource: TemplateResource) => resource.Properties['Environment'].Variables
const routeKey = (part: string) => (resource: TemplateResource) => `${resource.Properties['RouteKey']}`.includes(part)
const mentions = (part: string) => (resource: TemplateResource) => JSON.stringify(resource.Properties).includes(part)

/** Starts the stack of an assembly as `npm start` does, but in this process. Resolves with why it did not start. */
async function startHere(assemblyFolder: string) {
  const options = readStartOptions(['--synth', '--assembly', assemblyFolder], {})
  if (options === undefined) throw new Error('these options ask for the usage')
  const reported: string[] = []
  const stops: (() => Promise<void> | void)[] = []
  const host: StackHost = {
    directory: workspace.directory,
    report: (line) => reported.push(line),
    onStop: (stop) => stops.unshift(stop),
    onLoss: () => undefined,
  }
  const reason = await startStack(options, host).then(() => 'it has started', errorMessage)
  for (const stop of stops) await stop()
  return { reason, reported }
}

type Edit = (template: EditedTemplate) => void

const fatal: readonly (readonly [string, Edit, string])[] = [
  [
    'a file of a function',
    ({ functionNamed }) => Object.assign(functionNamed('query-table').Properties, { Handler: 'main.handler' }),
    'query-table: its handler is main.handler',
  ],
  [
    'an asset',
    ({ functionNamed }) => Object.assign(functionNamed('sweep').Metadata, { 'aws:asset:path': 'asset.gone' }),
    'sweep: its asset ',
  ],
  [
    'what a variable refers to',
    ({ functionNamed }) =>
      Object.assign(listVariables(functionNamed('report-worker')), { QUEUE_URL: { Ref: 'OtherQueue' } }),
    'report-worker, QUEUE_URL: this machine has no equivalent of {"Ref":"OtherQueue"}',
  ],
  [
    'the permission of API Gateway to call a function',
    ({ remove }) => remove('AWS::Lambda::Permission', mentions('/query-table/{tableName}')),
    'API Gateway may not call query-table for "POST /',
  ],
  [
    'the permission of EventBridge to call a function',
    ({ remove }) => remove('AWS::Lambda::Permission', mentions('events.amazonaws.com')),
    'EventBridge may not call sweep',
  ],
  [
    'the function behind a route',
    ({ all }) => {
      for (const route of all('AWS::ApiGatewayV2::Route', routeKey('/jobs/{jobId}/cancel'))) {
        route.Properties['Target'] = 'integrations/none'
      }
    },
    '/jobs/{jobId}/cancel" leads to no function',
  ],
  [
    'time for a message to be worked on',
    ({ all }) => {
      for (const queue of all('AWS::SQS::Queue')) queue.Properties['VisibilityTimeout'] = 60
    },
    'SQS would show a message again while report-worker may still be working on it',
  ],
]

describe('an assembly', () => {
  it.each(fatal)('starts nothing and names %s if it is missing', async (_what, edit, message) => {
    await using copy = await assemblyCopy(edit)
    const { reason, reported } = await startHere(copy.folder)
    expect(reason).toContain(message)
    expect(reported.join()).not.toContain('starting Postgres')
  })

  it.each(['table-control-dev.template.json', 'manifest.json'])(
    'is not run and not taken for up to date if %s is half written',
    async (name) => {
      await using copy = await assemblyCopy(() => undefined)
      expect(isFreshAssembly(copy.folder, 'dev')).toBe(true)
      const file = join(copy.folder, name)
      writeFileSync(file, '{"Resources": {')
      expect((await startHere(copy.folder)).reason).toContain(`${file} is no whole JSON`)
      expect(isFreshAssembly(copy.folder, 'dev')).toBe(false)
    },
  )

  it('is not run for another stage than the requested one', async () => {
    await using copy = await assemblyCopy(() => undefined)
    const command = workspace.start(port, '--synth', '--assembly', copy.folder, '--stage', 'production')
    expect(await command.exitCode).toBe(1)
    expect(command.output()).toContain('"npm run synth -- -c stage=production" writes it')
  })
})

/** Each function lacks something else. */
const breakAssembly: Edit = ({ functionNamed, all, remove }) => {
  delete listVariables(functionNamed('load-table'))['SERVICE_SECRET']
  delete listVariables(functionNamed('query-table'))['JWKS_URL']
  functionNamed('row-refetch').Properties['Handler'] = 'index.handle'
  remove('AWS::ApiGatewayV2::Route', routeKey('/notifications'))
  for (const { Properties } of all('AWS::IAM::Policy', mentions('bulktableaction'))) {
    const { Statement } = Properties['PolicyDocument']
    Properties['PolicyDocument'].Statement = Statement.filter((one: unknown) => !JSON.stringify(one).includes('sqs:'))
  }
}

describe('an assembly whose functions lack something', () => {
  let command: StackCommand
  let base: string
  let token: string
  let copy: Awaited<ReturnType<typeof assemblyCopy>>
  beforeAll(async () => {
    copy = await assemblyCopy(breakAssembly)
    await copySeededCluster(workspace.directory)
    command = workspace.start(port, '--synth', '--assembly', copy.folder)
    base = `${(await command.ready()).base_url}/api/api-table/control-tables`
    token = await workspace.token('--sub', 'alice', '--claim', 'states=Ohio', '--claim', 'email=alice@example.com')
  })
  afterAll(async () => {
    command?.interrupt()
    await command?.exitCode
    await copy?.[Symbol.asyncDispose]()
  })

  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const post = body && { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${base}/${path}`, { headers, ...post })
    return { status: response.status, text: await response.text() }
  }

  it.each([
    ['a variable', 'load-table/bird_strikes', undefined, '  SERVICE_SECRET: '],
    ['another variable', 'query-table/bird_strikes', {}, 'or JWT_ISSUER, JWT_AUDIENCE and JWKS_URL'],
    ['its handler', 'row-refetch/bird_strikes/1', {}, 'exports no function "handle"'],
  ])('answers 500 for what lacks %s, and says so', async (_what, path, body, message) => {
    expect((await call(path, body)).status).toBe(500)
    // The response may arrive before the log line.
    await expect.poll(() => command.output().replaceAll('\\n', '\n')).toContain(message)
  })

  it('sends what has no route to the function that says so', async () => {
    const { status, text } = await call('notifications')
    expect([status, JSON.parse(text).code]).toEqual([405, 'method_not_allowed'])
  })

  it('lets a function do nothing that its policy does not allow', async () => {
    const { status, text } = await call('bulk-table-action/bird_strikes/email_report', {})
    expect([status, JSON.parse(text).code]).toEqual([503, 'unavailable'])
    await command.printed(' no permission for sqs:SendMessage on ')
  })
})
