import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { paginateGetResources } from '@aws-sdk/client-resource-groups-tagging-api'
import { GetConfigurationSetCommand } from '@aws-sdk/client-sesv2'
import type { Check, CheckContext } from './check.ts'
import { isInService } from './deployed-stack.ts'
import { findOptional } from './find-optional.ts'
import { fault, type NewFinding, ok, warning } from './finding.ts'

/** Finds what a failed attempt, or a stage that was taken down, left in the region. */
export const leftoversCheck: Check = {
  name: 'leftovers',
  actions: ['tag:GetResources', 'logs:DescribeLogGroups', 'ses:GetConfigurationSet'],
  run: async (context) => {
    if (isInService(context.deployed)) return [ok('the stack is in service: what is there belongs to it')]
    const findings = [...(await blocking(context)), ...(await findRetained(context))]
    return findings.length === 0 ? [ok('nothing is left of an earlier attempt')] : findings
  },
}

/** Finds existing resources with the name of one that the stack would create. */
async function blocking({ clients, plan }: CheckContext): Promise<readonly NewFinding[]> {
  const findings: NewFinding[] = []
  for (const name of plan.logGroups) {
    const { logGroups = [] } = await clients.logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }))
    if (logGroups.some(({ logGroupName }) => logGroupName === name))
      findings.push(fault(`the log group ${name} exists already`, `aws logs delete-log-group --log-group-name ${name}`))
  }
  for (const name of plan.configurationSets) {
    const set = await findOptional(clients.mail.send(new GetConfigurationSetCommand({ ConfigurationSetName: name })))
    if (set !== undefined)
      findings.push(
        fault(
          `the configuration set ${name} exists already`,
          `aws sesv2 delete-configuration-set --configuration-set-name ${name}`,
        ),
      )
  }
  return findings
}

const advice: Readonly<Record<string, string>> = {
  s3: 'A new deployment makes another bucket. Remove it when its files are no longer needed: aws s3 rb --force s3://<name>',
  kms: 'A new deployment makes another key, and nothing that stays needs this one: aws kms schedule-key-deletion --key-id <name>',
  rds: 'Keep it if it holds data (RUNBOOK.md, "Restore"); else turn off its deletion protection and delete it',
  logs: 'aws logs delete-log-group --log-group-name <name>',
}

/** Finds the resources that carry the stack's name in CloudFormation's own tag. */
async function findRetained({ clients, plan: { stackName } }: CheckContext): Promise<readonly NewFinding[]> {
  const TagFilters = [{ Key: 'aws:cloudformation:stack-name', Values: [stackName] }]
  const arns: string[] = []
  for await (const { ResourceTagMappingList = [] } of paginateGetResources({ client: clients.tags }, { TagFilters }))
    arns.push(...ResourceTagMappingList.flatMap(({ ResourceARN }) => ResourceARN ?? []))
  return arns.sort().map((arn) => {
    const service = arn.split(':')[2] ?? ''
    return warning(`left behind: ${arn}`, advice[service] ?? `Delete it, if nothing uses it`)
  })
}
