import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager'
import * as z from 'zod'
import { noAnswerCode, openConnection } from '../local/database/open-connection.ts'
import { errorCode, errorMessage } from '../local/error-message.ts'
import { lintLiveTables } from '../scaffold/lint/advise-on-live-tables.ts'
import { rdsRoots } from '../stack/database/rds-roots.ts'
import type { Check, CheckContext } from './check.ts'
import { findOptional } from './find-optional.ts'
import { fault, type NewFinding, ok, unknown, warning } from './finding.ts'

const secretText = z.object({ url: z.url({ protocol: /^postgres(ql)?$/ }) })

/**
 * The database that a stage brings along: its secrets, TLS, connections, and the triggers of tables with `live: true`.
 */
export const existingDatabaseCheck: Check = {
  name: 'existing-database',
  actions: ['secretsmanager:GetSecretValue'],
  concerns: ({ stage: { database } }) => database.kind === 'existing',
  run: async (context) => {
    const { database } = context.plan.stage
    if (database.kind !== 'existing') return []
    const owner = database.ownerSecretArn
    // With the owner's, a deployment creates the other login, which may not be there yet.
    const arns = [['secretArn', database.secretArn] as const, ...(owner ? [['ownerSecretArn', owner] as const] : [])]
    const findings: NewFinding[] = []
    for (const [setting, arn] of arns) {
      const url = await readUrl(context, setting, arn)
      if (typeof url !== 'string') findings.push(url)
      else if (setting === 'ownerSecretArn' || owner === undefined) findings.push(...(await connect(context, url)))
    }
    return findings
  },
}

async function readUrl(
  { clients, plan }: CheckContext,
  setting: string,
  SecretId: string,
): Promise<string | NewFinding> {
  const example = 'postgres://user:password@host:5432/name'
  const [, , , region] = SecretId.split(':')
  if (region !== plan.region)
    return fault(`the secret of ${setting} is of ${region}, the stage of ${plan.region}`, 'Copy it to that region')
  const secret = await findOptional(clients.secrets.send(new GetSecretValueCommand({ SecretId })))
  if (secret === undefined)
    return fault(
      `there is no secret ${SecretId}`,
      `Create it as {"url": "${example}"}, and put its complete ARN into ${setting}`,
    )
  const parsed = secretText.safeParse(readJson(secret.SecretString))
  if (parsed.success) return parsed.data.url
  return fault(
    `the secret of ${setting} is not of the form {"url": "${example}"}`,
    'Put that into it, special characters %-encoded',
  )
}

function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}

/** Connects as functions do: with TLS, and the name and the certificate verified. */
async function connect({ plan: { stage }, registry }: CheckContext, url: string): Promise<readonly NewFinding[]> {
  const { database } = stage
  if (database.kind !== 'existing') return []
  const host = new URL(url).host
  const ssl = database.authority === 'amazon' ? { ca: rdsRoots(stage.region) } : ('verify-full' as const)
  const { sql, ready, end } = openConnection(url, { ssl })
  try {
    await ready()
    const [facts] = await sql`select current_setting('max_connections')::int as max,
      current_setting('server_version_num')::int as version, pg_is_in_recovery() as standby`
    if (facts?.['standby'])
      return [fault(`${host} is a standby, which takes no writes`, 'Name the writer in the secret')]
    if (facts?.['version'] < 140_000)
      return [fault(`${host} is Postgres ${facts?.['version']}, 14 or later is needed`, 'Upgrade it, or use another')]
    if (facts?.['max'] < database.connections)
      return [
        fault(
          `${host} allows ${facts?.['max']} connections, database.connections is ${database.connections}`,
          'Raise max_connections, which restarts the server, or lower database.connections',
        ),
      ]
    const lacking = (await lintLiveTables(sql, registry)).map(({ table, text, fix }) =>
      warning(`table ${table}: ${text}`, `${fix} (nothing if a migration of this deployment does so)`),
    )
    return [ok(`${host} answers with TLS, and allows ${facts?.['max']} connections`), ...lacking]
  } catch (error) {
    return [notConnected(host, error, database.vpc !== undefined)]
  } finally {
    await end()
  }
}

function notConnected(host: string, error: unknown, isInVpc: boolean): NewFinding {
  const code = errorCode(error)
  const text = `${host}: ${errorMessage(error)}`
  if (/CERT|SELF_SIGNED|ALTNAME/i.test(code))
    return fault(
      `${text} (${code})`,
      'Give the server a certificate for its name, and name its authority in database.authority',
    )
  if (/^28/.test(code)) return fault(text, 'Correct the login in the secret')
  if (code === '3D000') return fault(text, 'Create the database, or correct its name in the secret')
  if (/SSL|TLS/i.test(text)) return fault(text, 'Turn TLS on at the server')
  if (code === noAnswerCode) return unknown(text, 'Look at the load of the database, and of a pooler in front of it')
  if (isInVpc)
    return warning(
      `${text}: not reached from here`,
      'Run the preflight inside the VPC if the database lets in nothing else; otherwise let this machine reach it',
    )
  return unknown(text, 'Let this machine and the functions reach it, or name its VPC in database.vpc')
}
