import { createHash } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { join } from 'node:path'
import { expect, inject, vi } from 'vitest'
import { readOrCreate } from '../../../infra/local/local-directory.ts'
import { createClients, destroyClients } from '../../../infra/preflight/clients.ts'
import type { Finding } from '../../../infra/preflight/finding.ts'
import { type PreflightOptions, runPreflight } from '../../../infra/preflight/run-preflight.ts'
import { type StagePlan, stagePlan } from '../../../infra/preflight/stage-plan.ts'
import { parseStage, type StageSettings } from '../../../infra/settings/stage-settings.ts'
import { patienceMs } from '../run/limits.ts'
import { type AwsResponses, startAwsServer } from './aws-server.ts'
import { startDnsServer } from './dns-server.ts'
import { deployedAccount, healthyAccount } from './healthy-account.ts'
import { type HttpsIssuer, startHttpsIssuer } from './https-issuer.ts'
import { fullStage } from './synthesized-stack.ts'

export const preflightRegion = 'eu-central-1'
export const preflightCredentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }

export interface PreflightAccount {
  readonly endpoint: string
  /** The records of its name server. */
  readonly dnsAddress: string
  readonly setResponses: (responses: AwsResponses) => void
  /** Stands where the stage says `issuerName`. */
  readonly issuer: HttpsIssuer
  /** Runs the preflight of a stage in an account with these responses. */
  readonly findings: (
    responses: AwsResponses,
    plan: StagePlan,
    options?: PreflightOptions,
  ) => Promise<readonly Finding[]>
  readonly stop: () => Promise<void>
}

/** An account of AWS on this machine, for the SDK's own clients, and a name server; stop it in `afterAll`. */
export async function startPreflightAccount(): Promise<PreflightAccount> {
  const [aws, issuer] = await Promise.all([startAwsServer(), startHttpsIssuer()])
  const names = await startDnsServer({
    'NS acme.dev': ['ns.acme.dev'],
    'AAAA six.acme.dev': ['2001:0db8:0000:0000:0000:0000:0000:0001'],
    'CNAME tables.acme.dev': ['d-1.execute-api.eu-central-1.amazonaws.com'],
    'CNAME sockets.tables.acme.dev': ['elsewhere.acme.dev'],
  })
  for (const [name, value] of Object.entries({ ...preflightCredentials, AWS_ENDPOINT_URL: aws.endpoint }))
    vi.stubEnv(name, value)
  const dns = new Resolver({ timeout: patienceMs, tries: 1 })
  dns.setServers([names.address])
  return {
    endpoint: aws.endpoint,
    dnsAddress: names.address,
    setResponses: aws.setResponses,
    issuer,
    findings: (responses, plan, options) => {
      aws.setResponses(responses)
      const clients = createClients(preflightRegion)
      return runPreflight(issuedBy(issuer, plan), clients, dns, options).finally(() => destroyClients(clients))
    },
    stop: async () => {
      vi.unstubAllEnvs()
      names.stop()
      await Promise.all([aws.stop(), issuer.stop()])
    },
  }
}

const issuerName = 'https://login.acme.dev'

function issuedBy({ url }: HttpsIssuer, plan: StagePlan): StagePlan {
  const { auth } = plan.stage
  if (!('issuer' in auth)) return plan
  const [issuer, jwksUrl] = [auth.issuer, auth.jwksUrl].map((one) => one.replace(issuerName, url))
  return { ...plan, stage: { ...plan.stage, auth: { ...auth, issuer: issuer ?? '', jwksUrl: jwksUrl ?? '' } } }
}

/**
 * The plan of a stage called `test`, which the first process of the run makes: a synthesis takes half a second of a
 * processor.
 */
export function preflightPlan(settings: StageSettings): StagePlan {
  const stage = parseStage('test', settings)
  const name = createHash('sha256').update(JSON.stringify(stage)).digest('hex')
  const plan = readOrCreate(join(inject('sharedDirectory'), `${name}.plan.json`), () =>
    JSON.stringify(stagePlan(stage)),
  )
  return { ...JSON.parse(plan), stage, account: stage.account }
}

export const notOk = (all: readonly Finding[]): readonly Finding[] => all.filter(({ level }) => level !== 'ok')

/** The stage with every setting, in names of its own, whose smoke test can send its mail. */
export const mailingStage: StageSettings = {
  ...fullStage,
  domain: {
    http: 'tables.acme.dev',
    sockets: 'sockets.tables.acme.dev',
    certificateArn: 'arn:aws:acm:eu-central-1:111111111111:certificate/1',
    hostedZone: { id: 'Z0000000000000', name: 'acme.dev' },
  },
  auth: { issuer: issuerName, audience: ['tables'], jwksUrl: `${issuerName}/.well-known/jwks.json` },
  allowedOrigins: ['https://app.acme.dev'],
  mail: {
    sender: 'Table Control <reports@acme.dev>',
    domains: ['acme.dev'],
    addresses: ['success@simulator.amazonses.com'],
    linkDays: 30,
    alerts: ['operations@acme.dev'],
  },
}

/** An account that differs from a healthy one, and what is found of it. */
export interface PreflightCase {
  readonly title: string
  readonly check: string
  readonly level?: Finding['level']
  /** Responses that replace those of an account with or without the stack. */
  readonly responses?: AwsResponses
  readonly deployed?: boolean
  readonly plan?: () => Partial<StagePlan>
  readonly text: string
  readonly fix: string
  /** Other checks that report the same. */
  readonly also?: readonly string[]
}

/** Expects the finding of a case, and that nothing else stands in the way. */
export async function expectFinding(account: PreflightAccount, full: StagePlan, one: PreflightCase): Promise<void> {
  const { check, level = 'error', responses, deployed = false, plan, text, fix } = one
  const from = deployed ? deployedAccount : healthyAccount
  const found = notOk(await account.findings({ ...from, ...responses }, { ...full, ...plan?.() }))
  expect(found).toContainEqual({ check, level, text: expect.stringContaining(text), fix: expect.stringContaining(fix) })
  const alsoReported = ['stack', 'leftovers', 'account', ...(one.also ?? [])]
  expect(found.filter((other) => other.check !== check && !alsoReported.includes(other.check))).toEqual([])
}
