import * as z from 'zod'
import { stageTemplate } from '../checks/stage-template.ts'
import { type FunctionName, functionSettings } from '../settings/function-settings.ts'
import type { Stage } from '../settings/stage-settings.ts'

/** What a stage's template says about limits and about what costs something by being there. */
export interface Deployed {
  readonly stage: Stage
  /** How many of each function run at once; without one: as many as the account allows. */
  readonly reserved: Readonly<Partial<Record<FunctionName, number>>>
  readonly memoryMb: Readonly<Record<FunctionName, number>>
  readonly workerStorageMb: number
  /** Requests that the HTTP API and the WebSocket API let through in a second, each. */
  readonly requestsPerSecond: number
  readonly workersAtOnce: number
  readonly natGateways: number
  readonly secrets: number
  readonly keys: number
  readonly alarms: number
  readonly dashboards: number
  /** Writer and readers of Aurora, or one; 0 for an existing database. */
  readonly instances: number
}

const lambda = z.object({
  Description: z.string().default(''),
  MemorySize: z.number().default(128),
  ReservedConcurrentExecutions: z.number().optional(),
  EphemeralStorage: z.object({ Size: z.number() }).default({ Size: 512 }),
})
const gatewayStage = z.object({ DefaultRouteSettings: z.object({ ThrottlingRateLimit: z.number() }) })
const eventSource = z.object({ ScalingConfig: z.object({ MaximumConcurrency: z.number() }) })

/** Synthesises a stage's stack, without its code, and reads what the model needs from its template. */
export function deployedOf(stage: Stage): Deployed {
  const propertiesOf = templateOf(stage)
  const named = propertiesOf('AWS::Lambda::Function', lambda).flatMap((properties) => {
    const name = /^functions\/(.+)\.ts /.exec(properties.Description)?.[1]
    return name !== undefined && Object.hasOwn(functionSettings, name) ? [[name, properties] as const] : []
  })
  const of = <Value>(pick: (properties: z.output<typeof lambda>) => Value) =>
    Object.fromEntries(named.map(([name, properties]) => [name, pick(properties)])) as Record<FunctionName, Value>
  const count = (type: string) => propertiesOf(type, z.unknown()).length
  const rates = propertiesOf('AWS::ApiGatewayV2::Stage', gatewayStage)
  return {
    stage,
    reserved: of(({ ReservedConcurrentExecutions }) => ReservedConcurrentExecutions) as Deployed['reserved'],
    memoryMb: of(({ MemorySize }) => MemorySize),
    workerStorageMb: of(({ EphemeralStorage }) => EphemeralStorage.Size)['report-worker'],
    requestsPerSecond: Math.min(...rates.map((rate) => rate.DefaultRouteSettings.ThrottlingRateLimit)),
    workersAtOnce: Math.max(
      ...propertiesOf('AWS::Lambda::EventSourceMapping', eventSource).map(
        (one) => one.ScalingConfig.MaximumConcurrency,
      ),
    ),
    natGateways: count('AWS::EC2::NatGateway'),
    secrets: count('AWS::SecretsManager::Secret'),
    keys: count('AWS::KMS::Key'),
    alarms: count('AWS::CloudWatch::Alarm') + count('AWS::CloudWatch::CompositeAlarm'),
    dashboards: count('AWS::CloudWatch::Dashboard'),
    instances: count('AWS::RDS::DBInstance'),
  }
}

function templateOf(stage: Stage) {
  const { Resources } = stageTemplate(stage)
  return <Output>(type: string, schema: z.ZodType<Output>): readonly Output[] =>
    Object.values(Resources)
      .filter(({ Type }) => Type === type)
      .map(({ Properties }) => schema.parse(Properties))
}
