import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Finding } from '../../infra/preflight/finding.ts'
import type { StagePlan } from '../../infra/preflight/stage-plan.ts'
import { parseStage } from '../../infra/settings/stage-settings.ts'
import { healthyAccount } from '../support/infra/healthy-account.ts'
import type { IssuerResponses } from '../support/infra/https-issuer.ts'
import {
  mailingStage,
  notOk,
  type PreflightAccount,
  preflightPlan,
  startPreflightAccount,
} from '../support/infra/preflight-account.ts'
import { smallStage } from '../support/infra/synthesized-stack.ts'

let account: PreflightAccount
let full: StagePlan
beforeAll(async () => {
  account = await startPreflightAccount()
  full = preflightPlan(mailingStage)
})
beforeEach(() => account.issuer.setResponses())
afterAll(() => account.stop())

const keysPath = '/.well-known/jwks.json'
const discoveryPath = '/.well-known/openid-configuration'
const discover = (change: object) => ({
  [discoveryPath]: { body: { issuer: account.issuer.url, jwks_uri: account.issuer.jwksUrl, ...change } },
})
const withAuth = (change: object): StagePlan => ({
  ...full,
  stage: { ...full.stage, auth: { ...full.stage.auth, ...change } },
})
const readInPlan = (database: object): StagePlan =>
  ({ ...full, stage: { ...full.stage, database: { ...full.stage.database, ...database } } }) as StagePlan
const ofIssuer = (all: readonly Finding[]) => all.filter(({ check }) => check === 'issuer')

interface IssuerCase {
  readonly title: string
  readonly responses?: () => IssuerResponses
  readonly plan?: () => StagePlan
  readonly level?: Finding['level']
  readonly text: string
  readonly fix: string
}

const cases: readonly IssuerCase[] = [
  {
    title: 'a path at which there are no keys',
    responses: () => ({ [keysPath]: { status: 404 } }),
    text: 'status 404',
    fix: 'Correct auth.jwksUrl',
  },
  {
    title: 'a page in place of the keys',
    responses: () => ({ [keysPath]: { body: '<html>Sign in</html>' } }),
    text: 'not with a JWKS',
    fix: 'jwks_uri',
  },
  {
    title: 'keys of a kind that verifies no token',
    responses: () => ({ [keysPath]: { body: { keys: [{ kty: 'oct', kid: 'one', k: 'c2VjcmV0' }] } } }),
    text: 'has no key that can verify a token',
    fix: 'RSA of at least 2,048 bits',
  },
  {
    title: 'an issuer that does not answer',
    plan: () => withAuth({ jwksUrl: 'https://127.0.0.1:1/keys' }),
    level: 'unknown',
    text: 'ECONNREFUSED',
    fix: 'Let this machine and the functions reach the issuer',
  },
  {
    title: 'an issuer that spells itself in another way',
    responses: () => discover({ issuer: `${account.issuer.url}/` }),
    text: 'tokens must match letter by letter',
    fix: "Set auth.issuer: 'https://localhost:",
  },
  {
    title: 'keys at another place than the issuer says',
    responses: () => discover({ jwks_uri: 'https://keys.acme.dev/all' }),
    level: 'warning',
    text: 'publishes its keys at https://keys.acme.dev/all',
    fix: "Set auth.jwksUrl: 'https://keys.acme.dev/all'",
  },
  {
    title: 'an issuer without a discovery document',
    responses: () => ({ [discoveryPath]: { status: 404 } }),
    level: 'warning',
    text: 'auth.issuer cannot be compared with that of tokens',
    fix: '--token',
  },
  {
    title: 'an issuer without IPv6 for functions without a NAT gateway',
    plan: () => readInPlan({ natGateways: 0 }),
    text: 'localhost has no IPv6 address',
    fix: 'database.natGateways: 1',
  },
]

describe('the issuer', () => {
  it.each(cases)('finds $title', async ({ responses, plan, level = 'error', text, fix }) => {
    account.issuer.setResponses(responses?.())
    const all = ofIssuer(notOk(await account.findings(healthyAccount, plan?.() ?? full)))
    expect(all).toContainEqual({
      check: 'issuer',
      level,
      text: expect.stringContaining(text),
      fix: expect.stringContaining(fix),
    })
  })

  it('is content with an issuer that functions without a NAT gateway reach over IPv6', async () => {
    const plan = readInPlan({ natGateways: 0 })
    const auth = { ...plan.stage.auth, jwksUrl: 'https://six.acme.dev/keys' }
    const all = ofIssuer(await account.findings(healthyAccount, { ...plan, stage: { ...plan.stage, auth } }))
    expect(all).toContainEqual(expect.objectContaining({ level: 'ok', text: expect.stringContaining('IPv6 address') }))
  })

  it('takes keys out of reach for a warning where only a network of the stage is let in', async () => {
    const vpc = { id: 'vpc-12345678', subnetIds: ['subnet-12345678'], securityGroupId: 'sg-12345678' }
    const { database } = parseStage('test', { ...smallStage, database: { ...smallStage.database, vpc } as never })
    const { stage } = withAuth({ jwksUrl: 'https://127.0.0.1:1/keys' })
    const all = ofIssuer(await account.findings(healthyAccount, { ...full, stage: { ...stage, database } }))
    expect(all[0]).toMatchObject({ level: 'warning', fix: expect.stringContaining('vpc-12345678') })
  })
})

describe('a token', () => {
  const verify = async (claims: object) => {
    const token = account.issuer.tokenFor({ sub: 'ada', aud: 'tables', ...claims })
    return ofIssuer(await account.findings(healthyAccount, full, { token }))
  }

  it('is accepted as the functions will accept it', async () => {
    expect(await verify({})).toContainEqual(
      expect.objectContaining({ level: 'ok', text: 'the token of "ada" is accepted' }),
    )
  })

  it.each([
    ['another issuer', { iss: 'https://other.acme.dev' }, 'issuer', 'Set auth.issuer: "https://other.acme.dev"'],
    ['another audience', { aud: 'reports' }, 'audience', 'Add to auth.audience what the token is for: "reports"'],
    ['the past', { exp: 1 }, 'expired', 'Ask the issuer for a new token'],
  ])('is refused for %s with the setting to correct', async (_, claims, reason, fix) => {
    expect(await verify(claims)).toContainEqual({
      check: 'issuer',
      level: 'error',
      text: `the token is refused (${reason})`,
      fix: expect.stringContaining(fix),
    })
  })
})

describe('placeholders', () => {
  /** The settings say it, not the template, which takes a second to make. */
  const findIssuerFaults = async (settings: typeof mailingStage) => {
    const all = await account.findings(healthyAccount, { ...full, stage: parseStage('test', settings) })
    return all.filter(({ check }) => check === 'placeholders')
  }

  it('are found in every setting, and the issuer that is none is not asked', async () => {
    const all = await account.findings(healthyAccount, preflightPlan(smallStage))
    expect(all.filter(({ check }) => check === 'placeholders')).toEqual(
      ['auth.issuer is still "https://login.example.com"', expect.stringContaining('auth.jwksUrl is still')].map(
        (text) => ({
          check: 'placeholders',
          level: 'error',
          text,
          fix: 'Replace it by a value of yours in infra/stages.ts, under test',
        }),
      ),
    )
    expect(ofIssuer(all)).toEqual([])
  })

  it.each([
    ['a list', { allowedOrigins: ['https://app.acme.dev', 'https://app.example.com'] }, 'allowedOrigins[1]'],
    ['a sender', { mail: { sender: 'Reports <reports@example.org>' } }, 'mail.sender'],
    ['a user pool', { auth: { userPoolId: 'eu-central-1_example', clientIds: ['one'] } }, 'auth.userPoolId'],
    ['a client', { auth: { userPoolId: 'eu-central-1_AbC', clientIds: ['example-client'] } }, 'auth.clientIds[0]'],
  ])('are found in %s', async (_, change, path) => {
    expect(
      await findIssuerFaults({ ...mailingStage, domain: undefined, ...change } as typeof mailingStage),
    ).toMatchObject([{ level: 'error', text: expect.stringContaining(`${path} is still`) }])
  })

  it('are not seen in names that only contain one', async () => {
    const allowedOrigins = ['https://example.com.acme.dev', 'https://my-example.com', 'https://example.acme.dev']
    expect(await findIssuerFaults({ ...mailingStage, allowedOrigins })).toMatchObject([{ level: 'ok' }])
  })
})
