import { afterAll, beforeAll, it } from 'vitest'
import type { StagePlan } from '../../infra/preflight/stage-plan.ts'
import { parseStage } from '../../infra/settings/stage-settings.ts'
import { AwsError, type AwsResponses } from '../support/infra/aws-server.ts'
import { deployedResources, stackResources, stacks } from '../support/infra/healthy-account.ts'
import {
  expectFinding,
  mailingStage,
  type PreflightAccount,
  type PreflightCase,
  preflightPlan,
  startPreflightAccount,
} from '../support/infra/preflight-account.ts'

let account: PreflightAccount
let full: StagePlan
beforeAll(async () => {
  account = await startPreflightAccount()
  full = preflightPlan(mailingStage)
})
afterAll(() => account.stop())

const region = 'eu-central-1'

const resourcesWithoutNat = stackResources({
  ...deployedResources,
  gateway: ['eigw-1', 'AWS::EC2::EgressOnlyInternetGateway'],
  functions: ['subnet-1', 'AWS::EC2::Subnet'],
})

const withoutVersion: AwsResponses = {
  'rds.DescribeDBEngineVersions': ({ EngineVersion }) =>
    String(EngineVersion).includes('.')
      ? { DBEngineVersions: {} }
      : { DBEngineVersions: { DBEngineVersion: { EngineVersion: `${EngineVersion}.1` } } },
}

const inZones = (...zones: readonly string[]) => ({
  stage: parseStage('test', { ...mailingStage, database: { ...mailingStage.database, zones } }),
})

const cases: readonly PreflightCase[] = [
  {
    title: 'credentials of another account',
    check: 'account',
    plan: () => ({ account: '222222222222' }),
    text: 'credentials are of account 111111111111',
    fix: 'Sign in to the account of the stage',
  },
  {
    title: 'credentials that AWS does not accept',
    check: 'account',
    responses: { 'sts.GetCallerIdentity': new AwsError('InvalidClientTokenId', 'The token is invalid', 403) },
    text: 'no credentials that AWS accepts: The token is invalid',
    fix: 'Sign in',
  },
  {
    title: 'a stack whose first deployment could not be rolled back',
    check: 'stack',
    responses: stacks('ROLLBACK_FAILED', 'the cluster is protected'),
    text: 'table-control-test is ROLLBACK_FAILED: the cluster is protected',
    fix: 'RUNBOOK.md, "A first deployment that failed"',
  },
  {
    title: 'a stack that was rolled back',
    check: 'stack',
    responses: stacks('ROLLBACK_COMPLETE'),
    text: 'ROLLBACK_COMPLETE',
    fix: 'delete-stack --stack-name table-control-test',
  },
  {
    title: 'a stack whose update could not be rolled back',
    check: 'stack',
    responses: stacks('UPDATE_ROLLBACK_FAILED'),
    text: 'UPDATE_ROLLBACK_FAILED',
    fix: 'continue-update-rollback',
  },
  {
    title: 'a stack that is being changed',
    check: 'stack',
    responses: stacks('UPDATE_IN_PROGRESS'),
    text: 'UPDATE_IN_PROGRESS',
    fix: 'Wait until it has ended',
  },
  {
    title: 'another kind of database than that of the stage in service',
    check: 'stack',
    deployed: true,
    responses: stackResources({ ...deployedResources, database: ['tables', 'AWS::RDS::DBInstance'] }),
    text: "database.kind is 'created', and the stage in service has 'instance'",
    fix: 'RUNBOOK.md, "Change the kind of the database"',
  },
  {
    title: 'a database of its own for a stage in service without one',
    check: 'stack',
    deployed: true,
    responses: stackResources(
      Object.fromEntries(Object.entries(deployedResources).filter(([, [, type]]) => !type?.startsWith('AWS::RDS::DB'))),
    ),
    text: "database.kind is 'created', and the stage in service has 'existing': the new database would be empty",
    fix: 'RUNBOOK.md, "Change the kind of the database"',
  },
  {
    title: 'a region that is not bootstrapped',
    check: 'cdk-bootstrap',
    responses: { 'cloudformation.DescribeStacks': new AwsError('ValidationError', 'Stack does not exist') },
    text: 'not bootstrapped',
    fix: 'npx cdk bootstrap aws://<account>/eu-central-1',
  },
  {
    title: 'a bootstrap that is too old',
    check: 'cdk-bootstrap',
    plan: () => ({ bootstrapVersion: 31 }),
    text: 'bootstrap version 30, 31 is needed',
    fix: 'npx cdk bootstrap',
  },
  {
    title: 'a log group of a former attempt',
    check: 'leftovers',
    responses: {
      'logs.DescribeLogGroups': ({ logGroupNamePrefix }) => ({ logGroups: [{ logGroupName: logGroupNamePrefix }] }),
    },
    text: 'the log group /aws/vendedlogs/apigateway/table-control-test-http exists already',
    fix: 'aws logs delete-log-group --log-group-name /aws/vendedlogs/apigateway/table-control-test-http',
  },
  {
    title: 'a configuration set of a former attempt',
    check: 'leftovers',
    responses: { 'GET /v2/email/configuration-sets/table-control-test': {} },
    text: 'the configuration set table-control-test exists already',
    fix: 'delete-configuration-set',
  },
  {
    title: 'a bucket that stayed behind',
    check: 'leftovers',
    level: 'warning',
    responses: {
      'tagging.GetResources': { ResourceTagMappingList: [{ ResourceARN: 'arn:aws:s3:::table-control-test-1' }] },
    },
    text: 'left behind: arn:aws:s3:::table-control-test-1',
    fix: 'aws s3 rb',
  },
  {
    title: 'a resource of any other kind that stayed behind',
    check: 'leftovers',
    level: 'warning',
    responses: {
      'tagging.GetResources': { ResourceTagMappingList: [{ ResourceARN: 'arn:aws:sns:eu-central-1:1:topic' }] },
    },
    text: 'left behind: arn:aws:sns:eu-central-1:1:topic',
    fix: 'Delete it, if nothing uses it',
  },
  {
    title: 'a key that stayed behind of a stack that could not be deleted',
    check: 'leftovers',
    level: 'warning',
    responses: {
      ...stacks('DELETE_FAILED'),
      'tagging.GetResources': {
        ResourceTagMappingList: [{ ResourceARN: `arn:aws:kms:${region}:111111111111:key/1` }],
      },
    },
    text: 'key/1',
    fix: 'schedule-key-deletion',
  },
  {
    title: 'a new account, which has 10 concurrent executions',
    check: 'lambda-concurrency',
    responses: {
      'GET /2016-08-19/account-settings': {
        AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 10 },
      },
    },
    plan: () => ({ reserved: 54, stage: { ...full.stage, accountConcurrency: 10 } }),
    text: 'the stage reserves 54, other functions 0, of 10 of the account; 100 must stay unreserved',
    fix: '--quota-code L-B99A9384 --desired-value 154',
  },
  {
    title: 'executions that other functions have reserved',
    check: 'lambda-concurrency',
    responses: {
      'GET /2016-08-19/account-settings': {
        AccountLimit: { ConcurrentExecutions: 1000, UnreservedConcurrentExecutions: 150 },
      },
    },
    plan: () => ({ reserved: 54 }),
    text: 'other functions 850',
    fix: '--desired-value 1004',
  },
  {
    title: 'a quota that is smaller than the stage says',
    check: 'lambda-concurrency',
    plan: () => ({ stage: { ...full.stage, accountConcurrency: 3_000 } }),
    text: 'accountConcurrency of the stage is 3000, the account has 1000',
    fix: '--desired-value 3000',
  },
  {
    title: 'a quota that lets unreserved functions open more connections than the stage says',
    check: 'lambda-concurrency',
    level: 'warning',
    plan: () => ({ stage: { ...full.stage, accountConcurrency: 10, reservedConcurrency: 'off' } }),
    text: 'the account has 1000, accountConcurrency of the stage is 10',
    fix: 'Set accountConcurrency: 1000',
  },
  {
    title: 'VPCs that are all taken',
    check: 'network-quotas',
    responses: { 'servicequotas.GetServiceQuota': { Quota: { Value: 2 } } },
    text: 'VPCs of the region: 2 of 2 are taken, the stage needs 1',
    fix: '--service-code vpc --quota-code L-F678F1CE --desired-value 3',
  },
  {
    title: 'elastic IP addresses that are all taken',
    check: 'network-quotas',
    responses: {
      'ec2.DescribeAddresses': { addressesSet: { item: [1, 2, 3, 4].map((allocationId) => ({ allocationId })) } },
    },
    text: 'elastic IP addresses: 4 of 5 are taken, the stage needs 2',
    fix: '--quota-code L-0263D0A3 --desired-value 6',
  },
  {
    title: 'a zone that is full of NAT gateways',
    check: 'network-quotas',
    responses: {
      'ec2.DescribeNatGateways': {
        natGatewaySet: { item: [1, 2, 3, 4, 5].map((natGatewayId) => ({ natGatewayId, subnetId: 'subnet-1' })) },
      },
    },
    text: 'NAT gateways of a zone: 5 of 5 are taken',
    fix: '--quota-code L-FE5A380F --desired-value 6',
  },
  {
    title: 'NAT gateways for a stage that was deployed without',
    check: 'network-quotas',
    deployed: true,
    responses: resourcesWithoutNat,
    text: 'deployed with natGateways: 0',
    fix: 'Keep 0; RUNBOOK.md, "Change the number of NAT gateways"',
  },
  {
    title: 'subnets without NAT gateways at the addresses of a former version',
    check: 'network-quotas',
    deployed: true,
    responses: {
      ...resourcesWithoutNat,
      'ec2.DescribeSubnets': { subnetSet: { item: { subnetId: 'subnet-1', cidrBlock: '10.0.0.0/20' } } },
    },
    plan: () => ({ elasticIps: 0, subnets: ['10.0.16.0/20'] }),
    text: 'subnets of a former version have the addresses 10.0.0.0/20',
    fix: 'RUNBOOK.md, "Change the number of NAT gateways"',
  },
  {
    title: 'a log role of API Gateway that the stack would replace',
    check: 'api-gateway',
    level: 'warning',
    responses: {
      'GET /account': {
        cloudwatchRoleArn: 'arn:aws:iam::1:role/logs',
        throttleSettings: { burstLimit: 5000, rateLimit: 10000 },
      },
    },
    text: 'already has arn:aws:iam::1:role/logs',
    fix: "gatewayLogRole: 'existing'",
  },
  {
    title: 'a log role of API Gateway that is said to be there and is not',
    check: 'api-gateway',
    plan: () => ({ createsGatewayLogRole: false }),
    text: 'no role by which API Gateway writes logs',
    fix: "gatewayLogRole: 'created'",
  },
  {
    title: 'more requests than the account lets through',
    check: 'api-gateway',
    plan: () => ({ requestsPerSecond: 20_000 }),
    text: '10000 requests/s (burst 5000) for all APIs of the region, the stage lets through 20000',
    fix: '--quota-code L-8A5B8E43 --desired-value 20000',
  },
  {
    title: 'a version of the database that the region does not offer',
    check: 'database-engine',
    responses: withoutVersion,
    text: 'eu-central-1 does not offer aurora-postgresql',
    fix: 'Choose an offered version',
  },
  {
    title: 'a version of the database in service that the region offers no more',
    check: 'database-engine',
    level: 'warning',
    deployed: true,
    responses: withoutVersion,
    text: 'eu-central-1 does not offer aurora-postgresql',
    fix: 'Choose an offered version',
  },
  {
    title: 'a database without the Data API that the stage wants',
    check: 'database-engine',
    responses: {
      'rds.DescribeOrderableDBInstanceOptions': {
        OrderableDBInstanceOptions: { OrderableDBInstanceOption: { SupportsHttpEndpoint: false } },
      },
    },
    text: 'eu-central-1 has no Data API for aurora-postgresql',
    fix: "Set database.dataApi: 'off'",
  },
  {
    title: 'a database in a zone that does not offer it',
    check: 'database-engine',
    plan: () => inZones('eu-central-1b', 'eu-central-1c'),
    text: 'in 2 zones of eu-central-1, not in eu-central-1c',
    fix: 'Set database.zones to two of eu-central-1a, eu-central-1b',
  },
  {
    title: 'a database in one zone only',
    check: 'database-engine',
    responses: {
      'rds.DescribeOrderableDBInstanceOptions': {
        OrderableDBInstanceOptions: {
          OrderableDBInstanceOption: { AvailabilityZones: { AvailabilityZone: [{ Name: 'eu-central-1a' }] } },
        },
      },
    },
    text: 'in 1 zones of eu-central-1, 2 are needed',
    fix: 'Choose another size or region',
  },
]

it.each(cases)('the preflight finds $title', (one) => expectFinding(account, full, one))
