import { Resolver } from 'node:dns/promises'
import { expect } from 'vitest'
import { createClients, destroyClients } from '../../infra/preflight/clients.ts'
import type { Finding } from '../../infra/preflight/finding.ts'
import { runPreflight } from '../../infra/preflight/run-preflight.ts'
import { type StagePlan, stagePlan } from '../../infra/preflight/stage-plan.ts'
import { parseStage, type StageSettings } from '../../infra/stage-settings.ts'
import { type AwsAnswers, startAwsServer } from './aws-server.ts'
import { startDnsServer } from './dns-server.ts'
import { deployedAccount, healthyAccount } from './healthy-account.ts'
import { fullStage } from './synthesized-stack.ts'

export const preflightRegion = 'eu-central-1'
export const preflightCredentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }

export interface PreflightAccount {
  readonly endpoint: string
  /** Of its name server. */
  readonly dnsAddress: string
  readonly answer: (answers: AwsAnswers) => void
  /** What the preflight finds of a stage in an account that answers this. */
  readonly findings: (answers: AwsAnswers, plan: StagePlan) => Promise<readonly Finding[]>
  readonly stop: () => Promise<void>
}

/** An account of AWS on this machine, for the SDK's own clients, and a name server; stop it in `afterAll`. */
export async function startPreflightAccount(): Promise<PreflightAccount> {
  const aws = await startAwsServer()
  const names = await startDnsServer({
    'NS example.com': ['ns.example.net'],
    'CNAME tables.example.com': ['d-1.execute-api.eu-central-1.amazonaws.com'],
    'CNAME sockets.tables.example.com': ['elsewhere.example.net'],
  })
  Object.assign(process.env, { ...preflightCredentials, AWS_ENDPOINT_URL: aws.endpoint })
  const dns = new Resolver({ timeout: 1_000, tries: 1 })
  dns.setServers([names.address])
  return {
    endpoint: aws.endpoint,
    dnsAddress: names.address,
    answer: aws.answer,
    findings: (answers, plan) => {
      aws.answer(answers)
      const clients = createClients(preflightRegion)
      return runPreflight(plan, clients, dns).finally(() => destroyClients(clients))
    },
    stop: async () => {
      names.stop()
      await aws.stop()
    },
  }
}

/** The plan of a stage called `test`. */
export const preflightPlan = (settings: StageSettings): StagePlan => stagePlan(parseStage('test', settings))

export const notOk = (all: readonly Finding[]): readonly Finding[] => all.filter(({ level }) => level !== 'ok')

/** The stage with every setting, whose smoke test can send its mail. */
export const mailingStage: StageSettings = {
  ...fullStage,
  mail: { sender: 'reports@example.com', ...fullStage.mail, addresses: ['success@simulator.amazonses.com'] },
}

/** An account that differs from a healthy one, and what is found of it. */
export interface PreflightCase {
  readonly title: string
  readonly check: string
  readonly level?: Finding['level']
  /** Beside those of an account with, or without, the stack. */
  readonly answers?: AwsAnswers
  readonly deployed?: boolean
  readonly plan?: () => Partial<StagePlan>
  readonly text: string
  readonly fix: string
  /** Checks that the same answer is told by as well. */
  readonly also?: readonly string[]
}

/** Expects the finding of a case, and that nothing else stands in the way. */
export async function expectFinding(account: PreflightAccount, full: StagePlan, one: PreflightCase): Promise<void> {
  const { check, level = 'error', answers, deployed = false, plan, text, fix } = one
  const from = deployed ? deployedAccount : healthyAccount
  const found = notOk(await account.findings({ ...from, ...answers }, { ...full, ...plan?.() }))
  expect(found).toContainEqual({ check, level, text: expect.stringContaining(text), fix: expect.stringContaining(fix) })
  const alsoTold = ['stack', 'leftovers', 'account', ...(one.also ?? [])]
  expect(found.filter((other) => other.check !== check && !alsoTold.includes(other.check))).toEqual([])
}
