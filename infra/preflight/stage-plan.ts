import * as z from 'zod'
import { stageStack } from '../checks/stage-template.ts'
import type { Stage } from '../settings/stage-settings.ts'

/** The needs of a stage in its account and region, from its template. */
export interface StagePlan {
  readonly stage: Stage
  readonly stackName: string
  readonly region: string
  /** `undefined`: any account. */
  readonly account: string | undefined
  readonly bootstrapVersion: number
  /** How many concurrent executions the functions reserve together. */
  readonly reserved: number
  readonly vpcs: number
  readonly elasticIps: number
  /** In the zone that has most of them. */
  readonly natGatewaysPerZone: number
  /** Their IPv4 addresses, such as `10.0.16.0/20`. */
  readonly subnets: readonly string[]
  /** The sum of the limits of both APIs; `burst` is the sum of their bursts. */
  readonly requestsPerSecond: number
  readonly burst: number
  readonly engines: readonly DatabaseEngine[]
  /** Those whose names are fixed, so that one that is left behind stops a deployment. */
  readonly logGroups: readonly string[]
  readonly configurationSets: readonly string[]
  readonly createsIdentity: boolean
  readonly createsGatewayLogRole: boolean
}

export interface DatabaseEngine {
  readonly engine: string
  readonly version: string
  /** Such as `db.serverless`. */
  readonly instanceClass: string
}

const text = z.string().optional().catch(undefined)
const number = z.number().optional().catch(undefined)
const throttling = z.object({
  DefaultRouteSettings: z.object({ ThrottlingRateLimit: z.number(), ThrottlingBurstLimit: z.number() }),
})
const engineProperties = z.object({ Engine: text, EngineVersion: text, DBInstanceClass: text })

/** Synthesises a stage's stack, without the code of its functions, and reads what it needs. */
export function stagePlan(stage: Stage): StagePlan {
  const { template, bootstrapVersion, stackName } = stageStack(stage)
  const resources = Object.values(template.Resources)
  const listProperties = (type: string) =>
    resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties)
  const names = (type: string, key: string) =>
    listProperties(type).flatMap((properties) => text.parse(properties[key]) ?? [])
  const limits = listProperties('AWS::ApiGatewayV2::Stage').map((one) => throttling.parse(one).DefaultRouteSettings)
  return {
    stage,
    stackName,
    bootstrapVersion,
    region: stage.region,
    account: stage.account,
    reserved: listProperties('AWS::Lambda::Function').reduce(
      (sum, one) => sum + (number.parse(one['ReservedConcurrentExecutions']) ?? 0),
      0,
    ),
    vpcs: listProperties('AWS::EC2::VPC').length,
    elasticIps: listProperties('AWS::EC2::EIP').length,
    // Each zone has a public subnet of its own, and a gateway stands in one.
    natGatewaysPerZone: Math.min(1, listProperties('AWS::EC2::NatGateway').length),
    subnets: names('AWS::EC2::Subnet', 'CidrBlock'),
    requestsPerSecond: limits.reduce((sum, one) => sum + one.ThrottlingRateLimit, 0),
    burst: limits.reduce((sum, one) => sum + one.ThrottlingBurstLimit, 0),
    engines: findEngines(listProperties),
    logGroups: names('AWS::Logs::LogGroup', 'LogGroupName'),
    configurationSets: names('AWS::SES::ConfigurationSet', 'Name'),
    createsIdentity: listProperties('AWS::SES::EmailIdentity').length > 0,
    createsGatewayLogRole: listProperties('AWS::ApiGateway::Account').length > 0,
  }
}

/** Returns one engine for each size of instance. The instances of a cluster have its version. */
function findEngines(
  listProperties: (type: string) => readonly Readonly<Record<string, unknown>>[],
): readonly DatabaseEngine[] {
  const [cluster] = listProperties('AWS::RDS::DBCluster').map((one) => engineProperties.parse(one))
  const engines = listProperties('AWS::RDS::DBInstance').map((one): DatabaseEngine => {
    const { Engine, EngineVersion, DBInstanceClass } = engineProperties.parse(one)
    return {
      engine: cluster?.Engine ?? Engine ?? '',
      version: cluster?.EngineVersion ?? EngineVersion ?? '',
      instanceClass: DBInstanceClass ?? '',
    }
  })
  return [...new Map(engines.map((one) => [JSON.stringify(one), one])).values()]
}
