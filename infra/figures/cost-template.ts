import * as z from 'zod'
import { stageTemplate } from '../checks/stage-template.ts'
import { type FunctionName, functionSettings } from '../settings/function-settings.ts'
import type { Stage } from '../settings/stage-settings.ts'

/** The limits and the standing costs of a stage, from its template. */
export interface DeployedStage {
  readonly stage: Stage
  /** How many of each function run at once; without one: as many as the account allows. */
  readonly reserved: Readonly<Partial<Record<FunctionName, number>>>
  readonly memoryMb: Readonly<Record<FunctionName, number>>
  /** Requests that the HTTP API and the WebSocket API let through in a second, each. */
  readonly requestsPerSecond: number
  readonly workersAtOnce: number
  readonly natGateways: number
  readonly secrets: number
  readonly keys: number
  /** Metrics that alarms watch: each is paid. */
  readonly alarmMetrics: number
  readonly dashboards: number
  /** Writer and readers of Aurora, or one; 0 for an existing database. */
  readonly instances: number
}

const lambda = z.object({
  Description: z.string().default(''),
  MemorySize: z.number().default(128),
  ReservedConcurrentExecutions: z.number().optional(),
})
const gatewayStage = z.object({ DefaultRouteSettings: z.object({ ThrottlingRateLimit: z.number() }) })
const alarm = z.object({ Metrics: z.array(z.object({ MetricStat: z.unknown().optional() })).optional() })
const eventSource = z.object({ ScalingConfig: z.object({ MaximumConcurrency: z.number() }) })

/** Synthesises a stage's stack, without its code, and reads what the model needs from its template. */
export function readDeployed(stage: Stage): DeployedStage {
  const readProperties = resourceReader(stage)
  const named = readProperties('AWS::Lambda::Function', lambda).flatMap((properties) => {
    const name = /^functions\/(.+)\.ts /.exec(properties.Description)?.[1]
    return name !== undefined && Object.hasOwn(functionSettings, name) ? [[name, properties] as const] : []
  })
  const collect = <Value>(pick: (properties: z.output<typeof lambda>) => Value) =>
    Object.fromEntries(named.map(([name, properties]) => [name, pick(properties)])) as Record<FunctionName, Value>
  const count = (type: string) => readProperties(type, z.unknown()).length
  const rates = readProperties('AWS::ApiGatewayV2::Stage', gatewayStage)
  return {
    stage,
    reserved: collect(({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions) as DeployedStage['reserved'],
    memoryMb: collect(({ MemorySize }) => MemorySize),
    requestsPerSecond: Math.min(...rates.map((rate) => rate.DefaultRouteSettings.ThrottlingRateLimit)),
    workersAtOnce: Math.max(
      ...readProperties('AWS::Lambda::EventSourceMapping', eventSource).map(
        (one) => one.ScalingConfig.MaximumConcurrency,
      ),
    ),
    natGateways: count('AWS::EC2::NatGateway'),
    secrets: count('AWS::SecretsManager::Secret'),
    keys: count('AWS::KMS::Key'),
    alarmMetrics: readProperties('AWS::CloudWatch::Alarm', alarm).reduce((sum, one) => sum + countMetrics(one), 0),
    dashboards: count('AWS::CloudWatch::Dashboard'),
    instances: count('AWS::RDS::DBInstance'),
  }
}

/** An alarm on an expression watches every metric in it. */
const countMetrics = ({ Metrics }: z.output<typeof alarm>): number =>
  Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1

function resourceReader(stage: Stage) {
  const { Resources } = stageTemplate(stage)
  return <Output>(type: string, schema: z.ZodType<Output>): readonly Output[] =>
    Object.values(Resources)
      .filter(({ Type }) => Type === type)
      .map(({ Properties }) => schema.parse(Properties))
}
