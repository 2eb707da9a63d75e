import { GetAccountCommand, GetConfigurationSetCommand, GetEmailIdentityCommand } from '@aws-sdk/client-sesv2'
import type { Check, CheckContext } from './check.ts'
import { isInService } from './deployed-stack.ts'
import { findOptional } from './find-optional.ts'
import { fault, type NewFinding, ok, warning } from './finding.ts'

const simulator = 'success@simulator.amazonses.com'

const concerns: Check['concerns'] = ({ stage }) => stage.mail !== undefined

/** SES, in parts that take rights of their own: the account, the sender's identity, the configuration set. */
export const mailChecks: readonly Check[] = [
  {
    name: 'mail-account',
    actions: ['ses:GetAccount'],
    concerns,
    run: async (context) => [...(await account(context)), ...recipients(context)],
  },
  {
    name: 'mail-identity',
    actions: ['ses:GetEmailIdentity'],
    concerns,
    run: async (context) => [await identity(context)],
  },
  {
    name: 'mail-configuration-set',
    actions: ['ses:GetConfigurationSet'],
    concerns: ({ configurationSets }) => configurationSets.length > 0,
    run: configurationSets,
  },
]

async function account({ clients, plan }: CheckContext): Promise<readonly NewFinding[]> {
  const { ProductionAccessEnabled, SendingEnabled, EnforcementStatus, SendQuota } = await clients.mail.send(
    new GetAccountCommand({}),
  )
  const findings: NewFinding[] = []
  if (ProductionAccessEnabled !== true)
    findings.push(
      fault(
        `SES of ${plan.region} is in its sandbox: it takes mails to verified addresses alone, and asks for rights that the functions lack`,
        'Ask for production access (console of SES, "Account dashboard"), or leave mail out of the stage',
      ),
    )
  if (SendingEnabled !== true || EnforcementStatus === 'SHUTDOWN')
    findings.push(
      fault(`SES of ${plan.region} may not send (${EnforcementStatus})`, 'RUNBOOK.md, "Bounces and complaints"'),
    )
  else if (EnforcementStatus === 'PROBATION')
    findings.push(warning('SES is under review and may be paused', 'RUNBOOK.md, "Bounces and complaints"'))
  const { Max24HourSend = 0, MaxSendRate = 0 } = SendQuota ?? {}
  return findings.length > 0 ? findings : [ok(`out of the sandbox: ${Max24HourSend} mails a day, ${MaxSendRate}/s`)]
}

async function identity({ clients, plan, deployed }: CheckContext): Promise<NewFinding> {
  const sender = plan.stage.mail?.sender ?? ''
  const address = /<([^<>]+)>\s*$/.exec(sender)?.[1] ?? sender
  const domain = address.slice(address.lastIndexOf('@') + 1)
  const read = (EmailIdentity: string) =>
    findOptional(clients.mail.send(new GetEmailIdentityCommand({ EmailIdentity })))
  // An address that was verified by itself takes precedence over its domain.
  const known = (await read(address)) ?? (await read(domain))
  const isThere = isInService(deployed)
  if (known === undefined) {
    if (plan.createsIdentity && !isThere)
      return ok(`the stack makes ${domain} an identity; then write its MailRecord outputs into your DNS`)
    return fault(
      `SES of ${plan.region} has no identity ${domain}`,
      `Set mail.identity: 'created', or: aws sesv2 create-email-identity --email-identity ${domain}`,
    )
  }
  if (plan.createsIdentity && !isThere)
    return fault(`the account has an identity of ${address} already`, "Set mail.identity: 'existing' in stages.ts")
  if (known.VerifiedForSendingStatus === true) return ok(`${address} may send`)
  return fault(
    `the identity of ${address} is not verified (DKIM ${known.DkimAttributes?.Status ?? 'off'})`,
    plan.createsIdentity
      ? 'Write the MailRecord outputs of the stack into the DNS of the domain; SES looks again for 72 hours'
      : `Write the DKIM records that SES shows for ${domain} into its DNS`,
  )
}

/** Checks the configuration sets of a stack in service. Before that, the check of leftovers reads them. */
async function configurationSets({ clients, plan, deployed }: CheckContext): Promise<readonly NewFinding[]> {
  if (!isInService(deployed)) return [ok('the stack makes it')]
  return Promise.all(
    plan.configurationSets.map(async (name) => {
      const set = await findOptional(clients.mail.send(new GetConfigurationSetCommand({ ConfigurationSetName: name })))
      if (set === undefined) return fault(`the configuration set ${name} is gone`, 'Deploy the stage once more')
      if (set.SendingOptions?.SendingEnabled === false)
        return fault(
          `the configuration set ${name} may not send`,
          `RUNBOOK.md, "Bounces and complaints"; then: aws sesv2 put-configuration-set-sending-options --sending-enabled --configuration-set-name ${name}`,
        )
      return ok(`the configuration set ${name} sends`)
    }),
  )
}

function recipients({ plan: { stage } }: CheckContext): readonly NewFinding[] {
  const isAllowed = stage.mail?.addresses.includes(simulator) || stage.mail?.domains.includes('simulator.amazonses.com')
  if (isAllowed) return []
  return [
    warning(
      `${simulator} is not in mail.addresses, so that the smoke test can send no mail`,
      `Add ${simulator} to mail.addresses`,
    ),
  ]
}
