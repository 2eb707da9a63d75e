import { DescribeSecurityGroupsCommand, DescribeSubnetsCommand, DescribeVpcEndpointsCommand } from '@aws-sdk/client-ec2'
import type { Check } from './check.ts'
import { findOptional } from './find-optional.ts'
import { fault, type NewFinding, ok } from './finding.ts'

/** The network that an existing database is reached in. */
export const existingNetworkCheck: Check = {
  name: 'existing-network',
  actions: ['ec2:DescribeSubnets', 'ec2:DescribeSecurityGroups', 'ec2:DescribeVpcEndpoints'],
  concerns: ({ stage: { database } }) => database.kind === 'existing' && database.vpc !== undefined,
  run: async ({ clients: { network }, plan }) => {
    const { database } = plan.stage
    if (database.kind !== 'existing' || database.vpc === undefined) return []
    const { id, subnetIds, securityGroupId, executeApiEndpoint } = database.vpc
    const findings: NewFinding[] = []
    const subnets = await findOptional(network.send(new DescribeSubnetsCommand({ SubnetIds: [...subnetIds] })))
    const strange = subnetIds.filter((one) => subnets?.Subnets?.find(({ SubnetId }) => SubnetId === one)?.VpcId !== id)
    if (strange.length > 0)
      findings.push(fault(`${strange.join(', ')}: no subnet of ${id}`, 'Correct database.vpc.subnetIds'))
    const groups = await findOptional(network.send(new DescribeSecurityGroupsCommand({ GroupIds: [securityGroupId] })))
    if (groups?.SecurityGroups?.[0]?.VpcId !== id)
      findings.push(fault(`${securityGroupId} is no security group of ${id}`, 'Correct database.vpc.securityGroupId'))
    const { VpcEndpoints = [] } = await network.send(
      new DescribeVpcEndpointsCommand({ Filters: [{ Name: 'vpc-id', Values: [id] }] }),
    )
    const hidesGateway = VpcEndpoints.some(
      ({ ServiceName, PrivateDnsEnabled }) => ServiceName?.endsWith('.execute-api') && PrivateDnsEnabled,
    )
    if (hidesGateway && executeApiEndpoint !== 'private-dns')
      findings.push(
        fault(
          `${id} has an endpoint of execute-api with private DNS, which no push gets through`,
          "Set database.vpc.executeApiEndpoint: 'private-dns' and a domain, or turn private DNS off",
        ),
      )
    return findings.length > 0 ? findings : [ok(`${id} with its subnets and security group`)]
  },
}
