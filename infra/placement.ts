import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2'
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { statement } from './statement.ts'

/** Where in a VPC the functions are. */
export interface Placement {
  readonly vpc: IVpc
  readonly vpcSubnets: SubnetSelection
  readonly securityGroups: ISecurityGroup[]
}

/** What Lambda needs to place a function in a VPC. */
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
