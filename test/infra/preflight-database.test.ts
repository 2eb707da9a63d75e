import { integer, pgTable } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import type { PreflightOptions } from '../../infra/preflight/run-preflight.ts'
import type { StagePlan } from '../../infra/preflight/stage-plan.ts'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { serviceSchema } from '../support/database/service-schema.ts'
import { testDatabase } from '../support/database/test-database.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { AwsError, type AwsResponses } from '../support/infra/aws-server.ts'
import { healthyAccount } from '../support/infra/healthy-account.ts'
import {
  type PreflightAccount,
  preflightPlan,
  preflightRegion,
  startPreflightAccount,
} from '../support/infra/preflight-account.ts'
import { smallStage } from '../support/infra/synthesized-stack.ts'
import { startSilentDatabase } from '../support/network/silent-database.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'
import { createTlsIdentity } from '../support/network/tls-identity.ts'
import { trustAuthority } from '../support/network/trusted-authority.ts'

let account: PreflightAccount
let small: StagePlan
let trusted: StagePlan
beforeAll(async () => {
  account = await startPreflightAccount()
  small = preflightPlan(smallStage)
  const { stage } = small
  // A certificate that this process trusts is of no authority of RDS.
  trusted = {
    ...small,
    stage: { ...stage, database: { ...stage.database, authority: 'public' } as typeof stage.database },
  }
})
afterAll(() => account.stop())

describe('the preflight of an existing database', () => {
  const secretArn = smallStage.database.kind === 'existing' ? smallStage.database.secretArn : ''
  const secret = (text: string) => ({ 'secretsmanager.GetSecretValue': { ARN: secretArn, SecretString: text } })
  const ofDatabase = async (responses: AwsResponses, plan: StagePlan = trusted, options: PreflightOptions = {}) => {
    const all = await account.findings({ ...healthyAccount, ...responses }, plan, options)
    return all.filter(({ check }) => check === 'existing-database')
  }

  /** A server with TLS, whose certificate this process trusts or does not. */
  const tlsUrl = async (isTrusted: boolean, target = inject('postgresUrl')): Promise<string> => {
    const tls = createTlsIdentity('localhost')
    if (isTrusted) onTestFinished(trustAuthority(tls.cert))
    const proxy = await startTcpProxy({ target, tls })
    onTestFinished(proxy.close)
    return proxy.url('localhost')
  }

  it('accepts one with a trusted certificate and enough connections', async () => {
    const url = await tlsUrl(true)
    const [finding] = await ofDatabase(secret(JSON.stringify({ url })))
    expect(finding).toMatchObject({
      level: 'ok',
      text: expect.stringMatching(/localhost:\d+ answers with TLS, and allows \d+/),
    })
  })

  it('reports a missing or disabled trigger of a table with live: true, with a fix that writes it', async () => {
    const database = await testDatabase(serviceSchema)
    onTestFinished(database.drop)
    const sql = postgres(database.url, { max: 1 })
    onTestFinished(() => sql.end())
    await sql`create table orders (id integer primary key)`
    const url = new URL(await tlsUrl(true))
    url.pathname = new URL(database.url).pathname
    const from = pgTable('orders', { id: integer().primaryKey() })
    const orders = { from, key: 'id', scope: everyRow, live: true, columns: { id: { label: 'ID' } } } as const
    const registry = createRegistry([defineFixture({ ...orders, name: 'live_orders' })], { claims: fixtureClaims })
    const find = async () => (await ofDatabase(secret(JSON.stringify({ url })), trusted, { registry })).slice(1)
    const [missing] = await find()
    expect(missing).toMatchObject({ level: 'warning', text: expect.stringContaining('table live_orders: live: true') })
    await sql.unsafe(/create trigger .*\('live_orders'\)/.exec(missing?.fix ?? '')?.[0] ?? '')
    expect(await find()).toEqual([])
    await sql`alter table orders disable trigger live_live_orders`
    expect(await find()).toMatchObject([
      { level: 'warning', fix: expect.stringContaining('enable trigger "live_live') },
    ])
  })

  it('logs in as the owner where there is one, who creates the other login only with the deployment', async () => {
    const ownerSecretArn = secretArn.replace('tables-', 'owner-')
    const owner = await tlsUrl(true)
    const other = owner.replace(/\/\/[^:]+:/, '//nobody_yet:')
    const answerSecret = ({ SecretId }: Readonly<Record<string, unknown>>) => ({
      SecretString: JSON.stringify({ url: SecretId === ownerSecretArn ? owner : other }),
    })
    const database = { ...trusted.stage.database, ownerSecretArn } as StagePlan['stage']['database']
    const plan = { ...trusted, stage: { ...trusted.stage, database } }
    const found = await ofDatabase({ 'secretsmanager.GetSecretValue': answerSecret }, plan)
    expect(found[0]).toMatchObject({ level: 'ok', text: expect.stringContaining('answers with TLS') })
  })

  it('reports fewer connections than the functions open', async () => {
    const url = await tlsUrl(true)
    const database = { ...trusted.stage.database, connections: 5_000 }
    const [finding] = await ofDatabase(secret(JSON.stringify({ url })), {
      ...small,
      stage: { ...small.stage, database },
    })
    expect(finding).toMatchObject({ level: 'error', fix: expect.stringContaining('Raise max_connections') })
  })

  it('reports a certificate of an unknown authority', async () => {
    const url = await tlsUrl(false)
    const [finding] = await ofDatabase(secret(JSON.stringify({ url })))
    expect(finding).toMatchObject({ level: 'error', fix: expect.stringContaining('Give the server a certificate') })
  })

  it('reports a certificate that is trusted, but of no authority of RDS', async () => {
    const url = await tlsUrl(true)
    const [finding] = await ofDatabase(secret(JSON.stringify({ url })), small)
    expect(finding).toMatchObject({ level: 'error', fix: expect.stringContaining('database.authority') })
  })

  it('reports a database without TLS', async () => {
    const [finding] = await ofDatabase(secret(JSON.stringify({ url: inject('postgresUrl') })))
    expect(finding).toMatchObject({ level: 'error', fix: 'Turn TLS on at the server' })
  })

  it('reports a refused login', async () => {
    const url = new URL(await tlsUrl(true))
    url.password = 'wrong'
    const [finding] = await ofDatabase(secret(JSON.stringify({ url: url.href })))
    expect(finding).toMatchObject({ level: 'error', fix: 'Correct the login in the secret' })
  })

  it('reports as unknown a server that closes each connection without an answer', async () => {
    const proxy = await startTcpProxy({ target: inject('postgresUrl') })
    onTestFinished(proxy.close)
    proxy.treat('close')
    const [finding] = await ofDatabase(secret(JSON.stringify({ url: proxy.url() })))
    expect(finding).toMatchObject({ level: 'unknown', text: expect.stringContaining('without an answer') })
  })

  it('reports as unknown a server that lets the login in and never answers a statement', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    const silent = await startSilentDatabase(() => vi.advanceTimersByTime(10_000))
    onTestFinished(silent.close)
    const [finding] = await ofDatabase(secret(JSON.stringify({ url: await tlsUrl(true, silent.url) })))
    expect(finding).toMatchObject({
      level: 'unknown',
      fix: expect.stringContaining('Look at the load of the database'),
    })
    expect(finding?.text).toContain('answered no statement within 10 s')
  })

  it('reports as unknown a database that cannot be reached from here', async () => {
    const url = 'postgres://someone:secret@127.0.0.1:9/tables'
    const [finding] = await ofDatabase(secret(JSON.stringify({ url })))
    expect(finding).toMatchObject({ level: 'unknown', fix: expect.stringContaining('database.vpc') })
    expect(JSON.stringify(finding)).not.toContain('secret@')
  })

  it.each([
    ['that is of no form', secret('postgres://…'), 'is not of the form'],
    [
      'that there is not',
      { 'secretsmanager.GetSecretValue': new AwsError('ResourceNotFoundException') },
      'there is no secret',
    ],
  ])('has a secret %s', async (_, responses, text) => {
    const [finding] = await ofDatabase(responses)
    expect(finding).toMatchObject({ level: 'error', text: expect.stringContaining(text), fix: expect.any(String) })
  })

  it('checks that the parts of its network belong together, and reports a private DNS that hides API Gateway', async () => {
    const vpc = { id: 'vpc-01234567', subnetIds: ['subnet-0000000a'], securityGroupId: 'sg-01234567' }
    const database = { ...small.stage.database, vpc } as StagePlan['stage']['database']
    const parts = (vpcId: string, privateDnsEnabled: boolean) => ({
      'ec2.DescribeSubnets': { subnetSet: { item: { subnetId: 'subnet-0000000a', vpcId } } },
      'ec2.DescribeSecurityGroups': { securityGroupInfo: { item: { groupId: 'sg-01234567', vpcId } } },
      'ec2.DescribeVpcEndpoints': {
        vpcEndpointSet: { item: { serviceName: `com.amazonaws.${preflightRegion}.execute-api`, privateDnsEnabled } },
      },
    })
    const network = async (vpcId: string, privateDns: boolean, others: AwsResponses = {}) => {
      const responses = { ...healthyAccount, ...parts(vpcId, privateDns), ...secret('{}'), ...others }
      const all = await account.findings(responses, { ...small, stage: { ...small.stage, database } })
      return all.filter(({ check }) => check === 'existing-network').map(({ level, text }) => [level, text])
    }
    expect(await network('vpc-01234567', false)).toEqual([['ok', 'vpc-01234567 with its subnets and security group']])
    expect(await network('vpc-01234567', true)).toEqual([['error', expect.stringContaining('private DNS')]])
    const strange = [
      ['error', 'subnet-0000000a: no subnet of vpc-01234567'],
      ['error', 'sg-01234567 is no security group of vpc-01234567'],
    ]
    expect(await network('vpc-0000000f', false)).toEqual(strange)
    const missing = {
      'ec2.DescribeSubnets': new AwsError('InvalidSubnetID.NotFound'),
      'ec2.DescribeSecurityGroups': new AwsError('InvalidGroup.NotFound'),
    }
    expect(await network('vpc-01234567', false, missing)).toEqual(strange)
  })
})
