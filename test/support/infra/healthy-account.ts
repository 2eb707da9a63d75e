import type { AwsResponses } from './aws-server.ts'
import { AwsError } from './aws-server.ts'

const quotas: Readonly<Record<string, number>> = { 'vpc L-F678F1CE': 5, 'ec2 L-0263D0A3': 5, 'vpc L-FE5A380F': 5 }
const quota = ({ ServiceCode, QuotaCode }: Readonly<Record<string, unknown>>) => ({
  Quota: { QuotaCode, Value: quotas[`${ServiceCode} ${QuotaCode}`] },
})

const noStack = (name: string) => new AwsError('ValidationError', `Stack with id ${name} does not exist`)

const bootstrapped = {
  Stacks: {
    member: {
      StackName: 'CDKToolkit',
      CreationTime: '2026-01-01T00:00:00Z',
      StackStatus: 'CREATE_COMPLETE',
      Outputs: { member: { OutputKey: 'BootstrapVersion', OutputValue: '30' } },
    },
  },
}

/** Answers DescribeStacks for a bootstrapped region and a stack in this state; `undefined`: none. */
export const stacks = (status: string | undefined, reason?: string) => ({
  'cloudformation.DescribeStacks': ({ StackName }: Readonly<Record<string, unknown>>) => {
    if (StackName === 'CDKToolkit') return bootstrapped
    if (status === undefined) return noStack(String(StackName))
    const member = {
      StackName,
      CreationTime: '2026-01-01T00:00:00Z',
      StackStatus: status,
      ...(reason !== undefined && { StackStatusReason: reason }),
    }
    return { Stacks: { member } }
  },
})

const notFound = new AwsError('NotFoundException', 'not found', 404)

/** An account and region in which a stage with every setting can be deployed for the first time. */
export const healthyAccount: AwsResponses = {
  'sts.GetCallerIdentity': { Account: '111111111111', Arn: 'arn:aws:iam::111111111111:user/operator', UserId: 'U' },
  ...stacks(undefined),
  'cloudformation.ListStackResources': { StackResourceSummaries: {} },
  'tagging.GetResources': { ResourceTagMappingList: [] },
  'logs.DescribeLogGroups': { logGroups: [] },
  'GET /2016-08-19/account-settings': {
    AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 1000 },
  },
  'servicequotas.GetServiceQuota': new AwsError('NoSuchResourceException', 'never changed'),
  'servicequotas.GetAWSDefaultServiceQuota': quota,
  'ec2.DescribeVpcs': { vpcSet: { item: [{ vpcId: 'vpc-1' }, { vpcId: 'vpc-2' }] } },
  'ec2.DescribeAddresses': { addressesSet: { item: [{ allocationId: 'eipalloc-1' }] } },
  'ec2.DescribeNatGateways': { natGatewaySet: { item: [{ natGatewayId: 'nat-1', subnetId: 'subnet-1' }] } },
  'GET /account': { throttleSettings: { burstLimit: 5000, rateLimit: 10000 } },
  'rds.DescribeDBEngineVersions': ({ Engine, EngineVersion }) => ({
    DBEngineVersions: { DBEngineVersion: { Engine, EngineVersion } },
  }),
  'rds.DescribeOrderableDBInstanceOptions': {
    OrderableDBInstanceOptions: {
      OrderableDBInstanceOption: {
        AvailabilityZones: { AvailabilityZone: [{ Name: 'eu-central-1a' }, { Name: 'eu-central-1b' }] },
      },
    },
  },
  'GET /v2/email/account': {
    ProductionAccessEnabled: true,
    SendingEnabled: true,
    EnforcementStatus: 'HEALTHY',
    SendQuota: { Max24HourSend: 50000, MaxSendRate: 14 },
  },
  'GET /v2/email/identities/reports@acme.dev': notFound,
  'GET /v2/email/identities/acme.dev': notFound,
  'GET /v2/email/configuration-sets/table-control-test': notFound,
  'acm.DescribeCertificate': {
    Certificate: {
      DomainName: 'acme.dev',
      SubjectAlternativeNames: ['tables.acme.dev', '*.tables.acme.dev'],
      Status: 'ISSUED',
      NotAfter: 1830000000,
    },
  },
  'GET /domainnames/tables.acme.dev': notFound,
  'GET /domainnames/sockets.tables.acme.dev': notFound,
}

/** The physical ids of resources by logical ids, and of what type they are. */
export type StackResources = Readonly<Record<string, readonly [physicalId: string, type: string]>>

/** Answers ListStackResources for a stack that has these resources. */
export const stackResources = (resources: StackResources): AwsResponses => ({
  'cloudformation.ListStackResources': {
    StackResourceSummaries: {
      member: Object.entries(resources).map(([LogicalResourceId, [PhysicalResourceId, ResourceType]]) => ({
        LogicalResourceId,
        PhysicalResourceId,
        ResourceType,
        LastUpdatedTimestamp: '2026-01-01T00:00:00Z',
        ResourceStatus: 'CREATE_COMPLETE',
      })),
    },
  },
})

/** The resources of the stack in service. */
export const deployedResources: StackResources = {
  query: ['table-control-test-query', 'AWS::Lambda::Function'],
  role: ['table-control-test-logs', 'AWS::IAM::Role'],
  database: ['tables', 'AWS::RDS::DBCluster'],
}

/** The same with the stack in service, whose sender is verified and whose names lead to it. */
export const deployedAccount: AwsResponses = {
  ...healthyAccount,
  ...stacks('UPDATE_COMPLETE'),
  ...stackResources(deployedResources),
  'GET /2019-09-30/functions/table-control-test-query/concurrency': {},
  'GET /account': {
    cloudwatchRoleArn: 'arn:aws:iam::111111111111:role/table-control-test-logs',
    throttleSettings: { burstLimit: 5000, rateLimit: 10000 },
  },
  'GET /v2/email/identities/acme.dev': { VerifiedForSendingStatus: true },
  'GET /v2/email/configuration-sets/table-control-test': { SendingOptions: { SendingEnabled: true } },
}
