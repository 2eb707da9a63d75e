import {
  DescribeAddressesCommand,
  DescribeSubnetsCommand,
  paginateDescribeNatGateways,
  paginateDescribeVpcs,
} from '@aws-sdk/client-ec2'
import type { Check, CheckContext } from './check.ts'
import { isInService, listDeployedIds } from './deployed-stack.ts'
import { fault, type NewFinding, ok } from './finding.ts'
import { type Quota, readQuota } from './quota.ts'

interface CountedQuota extends Quota {
  readonly what: string
  readonly countNeeded: (plan: CheckContext['plan']) => number
  readonly countUsed: (context: CheckContext) => Promise<number>
}

const counted: readonly CountedQuota[] = [
  {
    what: 'VPCs of the region',
    service: 'vpc',
    code: 'L-F678F1CE',
    countNeeded: ({ vpcs }) => vpcs,
    countUsed: async ({ clients }) => {
      let vpcs = 0
      for await (const { Vpcs = [] } of paginateDescribeVpcs({ client: clients.network }, {})) vpcs += Vpcs.length
      return vpcs
    },
  },
  {
    what: 'elastic IP addresses',
    service: 'ec2',
    code: 'L-0263D0A3',
    countNeeded: ({ elasticIps }) => elasticIps,
    countUsed: async ({ clients }) =>
      (await clients.network.send(new DescribeAddressesCommand({}))).Addresses?.length ?? 0,
  },
  {
    what: 'NAT gateways of a zone',
    service: 'vpc',
    code: 'L-FE5A380F',
    countNeeded: ({ natGatewaysPerZone }) => natGatewaysPerZone,
    countUsed: countGatewaysInBusiestZone,
  },
]

/**
 * Checks that the quotas leave room for a network of the stage's own, or that the network of a stage in service can
 * stay.
 */
export const networkCheck: Check = {
  name: 'network-quotas',
  actions: [
    'ec2:DescribeVpcs',
    'ec2:DescribeAddresses',
    'ec2:DescribeNatGateways',
    'ec2:DescribeSubnets',
    'servicequotas:GetServiceQuota',
    'servicequotas:GetAWSDefaultServiceQuota',
  ],
  concerns: ({ vpcs }) => vpcs > 0,
  run: async (context) => {
    if (isInService(context.deployed)) return [await compareNetwork(context)]
    const findings: NewFinding[] = []
    for (const one of counted) {
      const needed = one.countNeeded(context.plan)
      if (needed > 0) findings.push(await compare(context, one, needed))
    }
    return findings
  },
}

/** Subnets neither move nor give up IPv6 while functions are in them; a network without NAT gateways has IPv6. */
async function compareNetwork({ clients, deployed, plan }: CheckContext): Promise<NewFinding> {
  const isThere = ok('the network is there')
  if (listDeployedIds(deployed, 'AWS::EC2::EgressOnlyInternetGateway').length === 0) return isThere
  const fix = 'RUNBOOK.md, "Change the number of NAT gateways"'
  if (plan.elasticIps > 0)
    return fault('the stage was deployed with natGateways: 0, and its subnets cannot give up IPv6', `Keep 0; ${fix}`)
  const SubnetIds = [...listDeployedIds(deployed, 'AWS::EC2::Subnet')]
  const { Subnets = [] } = await clients.network.send(new DescribeSubnetsCommand({ SubnetIds }))
  const moved = Subnets.flatMap(({ CidrBlock = '' }) => (plan.subnets.includes(CidrBlock) ? [] : [CidrBlock]))
  if (moved.length === 0) return isThere
  return fault(`subnets of a former version have the addresses ${moved.join(', ')}, which cannot change`, fix)
}

async function compare(
  context: CheckContext,
  { what, countUsed, ...quota }: CountedQuota,
  needed: number,
): Promise<NewFinding> {
  const limit = await readQuota(context.clients, quota)
  const taken = await countUsed(context)
  const text = `${what}: ${taken} of ${limit} are taken, the stage needs ${needed}`
  if (taken + needed <= limit) return ok(text)
  return fault(
    text,
    'Delete unused ones, or: aws service-quotas request-service-quota-increase ' +
      `--service-code ${quota.service} --quota-code ${quota.code} --desired-value ${taken + needed} --region ${context.plan.region}`,
  )
}

/** Counts by subnet, as most networks have one public subnet in each zone; the busiest counts. */
async function countGatewaysInBusiestZone({ clients }: CheckContext): Promise<number> {
  const Filter = [{ Name: 'state', Values: ['pending', 'available'] }]
  const perZone = new Map<string, number>()
  for await (const { NatGateways = [] } of paginateDescribeNatGateways({ client: clients.network }, { Filter })) {
    for (const { SubnetId = '' } of NatGateways) perZone.set(SubnetId, (perZone.get(SubnetId) ?? 0) + 1)
  }
  return Math.max(0, ...perZone.values())
}
