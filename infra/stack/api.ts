import {
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  type IHttpApi,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import type { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Annotations, Duration } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { corsPolicy } from '../../lib/http/cors.ts'
import { fallbackFunctionName, guardBasePath, mountRoutes } from '../../lib/routes.ts'
import { stageConfig } from '../settings/function-environment.ts'
import type { FunctionName } from '../settings/function-settings.ts'
import type { Stage } from '../settings/stage-settings.ts'
import { acceptRisk } from './accept-risk.ts'
import { accessLog, createAccessLogGroup } from './access-log.ts'
import { publicName } from './domain.ts'
import type { TableFunction } from './table-function.ts'

/** The HTTP API. Its routes are those of lib/routes.ts for every guard, and one for all that match none. */
export class Api extends Construct {
  /** In front of every path, without a slash at its end. */
  readonly url: string
  readonly http: HttpApi
  readonly accessLogs: LogGroup
  readonly #stage: Stage

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.#stage = stage
    this.http = new HttpApi(this, 'Http', {
      apiName: `table-control-${stage.name}`,
      createDefaultStage: false,
      // Otherwise the settings of the domain, such as its certificate's, could be bypassed.
      disableExecuteApiEndpoint: stage.domain !== undefined,
      ...corsProps(stage),
    })
    this.accessLogs = createAccessLogGroup(this, `table-control-${stage.name}-http`)
    new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: stage.requestsPerSecond, burstLimit: stage.requestsPerSecond * 2 },
      accessLogSettings: accessLog(this.accessLogs, {
        bytes: '$context.responseLength',
        ms: '$context.responseLatency',
        integration_ms: '$context.integrationLatency',
        integration_error: '$context.integrationErrorMessage',
      }),
      ...publicName(this, stage, 'http'),
    })
    acceptRisk(this, 'AwsSolutions-APIG4', 'The functions verify tokens themselves, so that refusals have our envelope')
    warnOfGuards(this, stage)
    this.url = stage.domain === undefined ? this.http.apiEndpoint : `https://${stage.domain.http}`
  }

  /** Under which URL each guard's endpoints are. */
  baseUrls(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#stage.guards.map((guard) => [guard, `${this.url}${guardBasePath(guard)}`]))
  }

  /** Gives every route to its function. */
  addRoutes(functions: Readonly<Record<FunctionName, TableFunction>>): void {
    const integrations = new Map<FunctionName, HttpLambdaIntegration>()
    const add = (id: string, functionName: FunctionName, routeKey: HttpRouteKey) => {
      const known = integrations.get(functionName)
      const integration = known ?? new HttpLambdaIntegration(`${functionName}-integration`, functions[functionName])
      integrations.set(functionName, integration)
      new HttpRoute(this, id, { httpApi: this.http as IHttpApi, routeKey, integration })
    }
    for (const { route, routeKey } of mountRoutes(this.#stage.guards)) {
      const [method = '', path = ''] = routeKey.split(' ')
      add(routeKey, route.functionName, HttpRouteKey.with(path, HttpMethod[method as keyof typeof HttpMethod]))
    }
    add('$default', fallbackFunctionName, HttpRouteKey.DEFAULT)
  }
}

function warnOfGuards(scope: Construct, { guards }: Stage): void {
  if (guards.includes('api') || guards.every((guard) => guard === 'web')) return
  const message = `guards has no "api", where action.api of every structure leads; add it to ${guards.join(', ')}`
  Annotations.of(scope).addWarningV2('table-control:guards', message)
}

function corsProps(stage: Stage) {
  const policy = corsPolicy(stageConfig(stage))
  if (policy.allowOrigins.length === 0) return {}
  return {
    corsPreflight: {
      allowOrigins: [...policy.allowOrigins],
      allowHeaders: [...policy.allowHeaders],
      allowMethods: policy.allowMethods.map((method) => CorsHttpMethod[method as keyof typeof CorsHttpMethod]),
      allowCredentials: policy.allowCredentials,
      exposeHeaders: [...policy.exposeHeaders],
      maxAge: Duration.seconds(policy.maxAge),
    },
  }
}
