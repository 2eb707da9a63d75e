import { Resolver } from 'node:dns/promises'
import { runCommand } from '../run-command.ts'
import { stageNamed, stageNames } from '../stages.ts'
import type { Finding, Level } from './finding.ts'
import { exitCodeFor, summarize } from './summarize.ts'

const usage = `Usage: npm run --silent preflight -- --stage <name> [--token <token>] [--json] [--dns <server>]
  --stage  a stage of infra/stages.ts; the credentials are those of the AWS SDK
  --token  an access token of the stage's issuer, to be verified as the functions will
  --dns    a name server to ask instead of this machine's, such as 9.9.9.9
  --json   for machines: { seconds, findings: [{ check, level, text, fix }] }
Changes nothing. Exit code: 0 if nothing is in the way of a deployment, which may have warnings; 1 if it would fail or not work; 2 if no
check failed and one could not be made.`

const options = {
  stage: { type: 'string' },
  token: { type: 'string' },
  dns: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

const marks: Readonly<Record<Level, string>> = { ok: 'ok', warning: 'warning', error: 'ERROR', unknown: 'unknown' }

function printFinding({ check, level, text, fix }: Finding): void {
  console.log(`${marks[level].padEnd(9)}${check}: ${text}`)
  if (fix !== undefined) console.log(`${' '.repeat(9)}fix: ${fix}`)
}

const notAsked = `
Only the checks that need no account were made. The others ask AWS, with the credentials that its SDK finds: sign in
(aws sso login, or AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), then run it again.`

await runCommand(usage, { options }, async ({ values }) => {
  if (values.stage === undefined) throw new Error(`--stage is needed: one of ${stageNames.join(', ')}`)
  const stage = stageNamed(values.stage)
  const begin = performance.now()
  // The CDK and the clients take seconds to load, which a wrong argument need not wait for.
  const [{ stagePlan }, { createClients, destroyClients }, { runPreflight }] = await Promise.all([
    import('./stage-plan.ts'),
    import('./clients.ts'),
    import('./run-preflight.ts'),
  ])
  const plan = stagePlan(stage)
  const clients = createClients(plan.region)
  const dns = new Resolver({ timeout: 3_000, tries: 2 })
  if (values.dns !== undefined) dns.setServers([values.dns])
  const findings = await runPreflight(plan, clients, dns, { token: values.token }).finally(() =>
    destroyClients(clients),
  )
  const seconds = Number(((performance.now() - begin) / 1_000).toFixed(1))
  if (values.json) console.log(JSON.stringify({ seconds, findings }, null, 2))
  else {
    for (const finding of findings) printFinding(finding)
    console.log(summarize(findings, seconds))
    if (findings.at(-1)?.check === 'account') console.log(notAsked)
  }
  return exitCodeFor(findings)
})
