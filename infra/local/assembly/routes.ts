import * as z from 'zod'
import type { LocalFunction } from '../lambda/local-function.ts'
import { localArn } from '../local-account.ts'
import { type DeployedFunction, toTarget } from './functions.ts'
import { findApiId } from './local-values.ts'
import { mayCall, type Permission } from './permissions.ts'
import { referencedIds, type Template } from './template.ts'

const stage = z.object({ ApiId: z.unknown(), StageName: z.string() })
const route = z.object({ ApiId: z.unknown(), RouteKey: z.string(), Target: z.unknown() })
const integration = z.object({
  IntegrationType: z.literal('AWS_PROXY'),
  IntegrationUri: z.unknown(),
  PayloadFormatVersion: z.string().optional(),
})

type Functions = ReadonlyMap<string, DeployedFunction>

/** The name of the stage of an API. Throws when it has none. */
export function findStageName(template: Template, apiId: string): string {
  const [own] = template
    .listResources('AWS::ApiGatewayV2::Stage', stage)
    .filter(({ properties }) => referencedIds(properties.ApiId).includes(apiId))
  if (own === undefined) throw new Error(`${apiId} has no stage, so that no client could reach it`)
  return own.properties.StageName
}

/** The routes of an API with their functions. Throws what API Gateway would refuse, or could not call. */
export function findRoutes<Event>(
  template: Template,
  apiId: string,
  functions: Functions,
  permissions: readonly Permission[],
) {
  const stageName = findStageName(template, apiId)
  const integrations = new Map(
    template.listResources('AWS::ApiGatewayV2::Integration', integration).map((one) => [one.id, one.properties]),
  )
  const own = template
    .listResources('AWS::ApiGatewayV2::Route', route)
    .filter(({ properties }) => referencedIds(properties.ApiId).includes(apiId))
  const routes = new Map<string, LocalFunction<Event>>()
  for (const { properties } of own) {
    const { RouteKey, Target } = properties
    const target = integrations.get(referencedIds(Target)[0] ?? '')
    const called = referencedIds(target?.IntegrationUri ?? '').flatMap((id) => functions.get(id) ?? [])[0]
    if (target === undefined || called === undefined) throw new Error(`The route "${RouteKey}" leads to no function`)
    if (RouteKey.includes(' ') && target.PayloadFormatVersion !== '2.0')
      throw new Error(`The route "${RouteKey}" speaks another payload format than 2.0`)
    const source = localArn('execute-api', `${findApiId(apiId)}/${stageName}/${arnSegment(RouteKey)}`)
    if (!mayCall(permissions, called.id, 'apigateway.amazonaws.com', source)) {
      throw new Error(
        `API Gateway may not call ${called.name} for "${RouteKey}": the template has no permission for it`,
      )
    }
    routes.set(RouteKey, toTarget(called))
  }
  return routes
}

/** The route as it stands in an ARN. */
const arnSegment = (routeKey: string) => (routeKey === '$default' ? '$default/$default' : routeKey.replace(' ', ''))
