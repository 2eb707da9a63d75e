import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Finding } from '../../infra/preflight/finding.ts'
import type { StagePlan } from '../../infra/preflight/stage-plan.ts'
import { exitCodeFor, summarize } from '../../infra/preflight/summarize.ts'
import { AwsError } from '../support/infra/aws-server.ts'
import { runHere } from '../support/infra/command-here.ts'
import { deployedAccount, healthyAccount } from '../support/infra/healthy-account.ts'
import {
  mailingStage,
  notOk,
  type PreflightAccount,
  preflightCredentials,
  preflightPlan,
  startPreflightAccount,
} from '../support/infra/preflight-account.ts'
import { runScript } from '../support/stack/run-command.ts'

let account: PreflightAccount
let full: StagePlan
beforeAll(async () => {
  account = await startPreflightAccount()
  full = preflightPlan(mailingStage)
})
afterAll(() => account.stop())

const findings: PreflightAccount['findings'] = (responses, plan) => account.findings(responses, plan)

const denied = new AwsError('AccessDeniedException', 'not authorized', 403)

describe('npm run preflight', () => {
  it('finds nothing in the way of a first deployment, by every check that concerns the stage', async () => {
    const all = await findings(healthyAccount, full)
    expect(notOk(all)).toEqual([])
    expect([...new Set(all.map(({ check }) => check))]).toEqual([
      'placeholders',
      'issuer',
      'account',
      'stack',
      'cdk-bootstrap',
      'leftovers',
      'lambda-concurrency',
      'network-quotas',
      'api-gateway',
      'database-engine',
      'mail-account',
      'mail-identity',
      'mail-configuration-set',
      'domain',
    ])
  })

  it('finds nothing in the way of changing a stage that is in service', async () => {
    expect(notOk(await findings(deployedAccount, full))).toEqual([])
  })

  it('counts what the stage itself has reserved once', async () => {
    const found = await findings(
      {
        ...deployedAccount,
        'GET /2016-08-19/account-settings': {
          AccountLimit: { ConcurrentExecutions: 200, UnreservedConcurrentExecutions: 146 },
        },
        'GET /2019-09-30/functions/table-control-test-query/concurrency': { ReservedConcurrentExecutions: 54 },
      },
      { ...full, reserved: 60, stage: { ...full.stage, accountConcurrency: 200 } },
    )
    expect(found.filter(({ check }) => check === 'lambda-concurrency')).toMatchObject([
      { level: 'ok', text: 'the stage reserves 60, other functions 0, of 200 of the account' },
    ])
  })

  it('says of each right that is missing which one it is, and goes on', async () => {
    const granted = { 'sts.GetCallerIdentity': healthyAccount['sts.GetCallerIdentity'] ?? denied }
    const all = await findings(granted, full)
    expect(new Set(notOk(all).map(({ level }) => level))).toEqual(new Set(['unknown']))
    const actions = [
      'cloudformation:DescribeStacks',
      'tag:GetResources',
      'lambda:GetAccountSettings',
      'ec2:DescribeVpcs',
    ]
    for (const action of [...actions, 'rds:DescribeDBEngineVersions', 'ses:GetAccount', 'acm:DescribeCertificate'])
      expect(all).toContainEqual(expect.objectContaining({ fix: expect.stringMatching(`Allow .*${action}`) }))
  })
})

describe('the command', () => {
  const environment = () => ({ ...preflightCredentials, AWS_ENDPOINT_URL: account.endpoint })
  const preflight = (...args: readonly string[]) =>
    runHere('infra/preflight/preflight.ts', args, { environment: environment() })

  it('prints findings for machines', async () => {
    const { exitCode, stdout, stderr } = await runScript('preflight', ['--stage', 'dev', '--json'], environment())
    expect(stderr).toBe('')
    const { seconds, findings } = JSON.parse(stdout)
    expect([exitCode, seconds > 0]).toEqual([1, true])
    expect(findings).toContainEqual(expect.objectContaining({ check: 'account', level: 'ok' }))
  })

  it('prints findings for a person, and its exit code says that something is in the way', async () => {
    account.setResponses({ ...healthyAccount, 'GET /v2/email/account': { SendingEnabled: false } })
    onTestFinished(() => account.setResponses(healthyAccount))
    const { exitCode, stdout } = await preflight('--stage', 'dev', '--dns', account.dnsAddress)
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/ERROR +mail-account: .*sandbox.*\n +fix: Ask/)])
    expect(stdout).toMatch(/\d+ findings: \d+ errors, \d unknown, 0 warnings, in [\d.]+ s\n$/)
  })

  it('makes the checks that need no account without credentials, and says how to make the others', async () => {
    account.setResponses({ 'sts.GetCallerIdentity': new AwsError('InvalidClientTokenId', 'The token is invalid', 403) })
    onTestFinished(() => account.setResponses(healthyAccount))
    const { exitCode, stdout } = await preflight('--stage', 'dev')
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/ERROR +placeholders: auth.issuer is still/)])
    expect(stdout).toMatch(/ERROR +account: no credentials that AWS accepts[\s\S]*sign in\n\(aws sso login/)
  })

  it.each([
    [[], '--stage is needed'],
    [['--stage', 'nowhere'], 'infra/stages.ts has no stage "nowhere"'],
  ])('refuses %j in one line', async (args, message) => {
    const { exitCode, stderr } = await preflight(...args)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
  })
})

describe('the summary', () => {
  const finding = (level: Finding['level']): Finding => ({ check: 'stack', level, text: 'a stack' })

  it.each([
    [['error'], '1 finding: 1 error, 0 unknown, 0 warnings, in 2 s', 1],
    [['error', 'error', 'unknown'], '3 findings: 2 errors, 1 unknown, 0 warnings, in 2 s', 1],
    [['ok', 'unknown'], '2 findings: 0 errors, 1 unknown, 0 warnings, in 2 s', 2],
    [['warning', 'ok'], '2 findings: 0 errors, 0 unknown, 1 warning, in 2 s', 0],
    [[], '0 findings: 0 errors, 0 unknown, 0 warnings, in 2 s', 0],
  ] as const)('counts %j in words and gives the exit code', (levels, line, exitCode) => {
    const findings = levels.map(finding)
    expect([summarize(findings, 2), exitCodeFor(findings)]).toEqual([line, exitCode])
  })
})
