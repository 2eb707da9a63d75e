import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2'
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { statement } from './policy-statement.ts'

/** The place of the functions in a VPC. */
export interface Placement {
  readonly vpc: IVpc
  readonly vpcSubnets: SubnetSelection
  readonly securityGroups: ISecurityGroup[]
  /**
   * Whether functions also have IPv6 addresses, without which they reach nothing outside where there is no NAT gateway.
   */
  readonly ipv6AllowedForDualStack: boolean
}

/** Makes the AWS SDK call endpoints that have IPv6 addresses, and Node prefer those to addresses that have no route. */
export const ipv6Variables: Readonly<Record<string, string>> = {
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  NODE_OPTIONS: '--dns-result-order=ipv6first',
}

/** Returns the permission with which Lambda places a function in a VPC. */
export const networkInterfaces = (): PolicyStatement =>
  statement(
    [
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    ['*'],
  )
