import { CfnAccount } from 'aws-cdk-lib/aws-apigateway'
import { IpAddressType, WebSocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type CfnResource, type Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { triggers } from '../../lib/routes.ts'
import type { FunctionName } from '../settings/function-settings.ts'
import { pushesByDomain, type Stage } from '../settings/stage-settings.ts'
import { acceptRisk } from './accept-risk.ts'
import { accessLog, createAccessLogGroup } from './access-log.ts'
import { publicName } from './domain.ts'
import { statement } from './policy-statement.ts'
import type { TableFunction } from './table-function.ts'

const stageName = 'live'

/** The WebSocket API, and the way back to its clients. */
export class Sockets extends Construct {
  /** URL that clients open. */
  readonly url: string
  /** URL to which messages for clients are posted. */
  readonly endpoint: string
  readonly #api: WebSocketApi

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id)
    this.#api = new WebSocketApi(this, 'WebSocket', {
      apiName: `table-control-${stage.name}-sockets`,
      // Functions that have no NAT gateway push over IPv6.
      ipAddressType: IpAddressType.DUAL_STACK,
      routeSelectionExpression: '$request.body.event',
    })
    const deployed = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.#api,
      stageName,
      autoDeploy: true,
      throttle: { rateLimit: stage.requestsPerSecond, burstLimit: stage.requestsPerSecond * 2 },
      accessLogSettings: accessLog(createAccessLogGroup(this, `table-control-${stage.name}-sockets`), {
        event: '$context.eventType',
        connection_id: '$context.connectionId',
        integration_error: '$context.integrationErrorMessage',
      }),
      ...publicName(this, stage, 'sockets'),
    })
    if (stage.gatewayLogRole === 'created') this.#letGatewayLog(deployed)
    acceptRisk(this, 'AwsSolutions-APIG4', '$connect verifies tokens itself, also those that come as a subprotocol')
    const { region, urlSuffix } = Stack.of(this)
    // Not the stage's own attribute, which would make the functions wait for the routes that lead to them.
    const host = `${this.#api.apiId}.execute-api.${region}.${urlSuffix}/${stageName}`
    this.endpoint =
      pushesByDomain(stage) && stage.domain !== undefined ? `https://${stage.domain.sockets}` : `https://${host}`
    this.url = stage.domain === undefined ? `wss://${host}` : `wss://${stage.domain.sockets}`
  }

  addRoutes(functions: Readonly<Record<FunctionName, TableFunction>>): void {
    for (const [routeKey, functionName] of Object.entries(triggers.sockets)) {
      const integration = new WebSocketLambdaIntegration(`${functionName}-integration`, functions[functionName])
      this.#api.addRoute(routeKey, { integration })
    }
  }

  /** Counts the calls of functions that API Gateway could not make. */
  executionErrors(period: Duration): Metric {
    return new Metric({
      namespace: 'AWS/ApiGateway',
      metricName: 'ExecutionError',
      dimensionsMap: { ApiId: this.#api.apiId, Stage: stageName },
      statistic: Stats.SUM,
      period,
    })
  }

  /** Lets a function post to every connection of this API, and to nothing else. */
  grantPush(pusher: TableFunction): void {
    this.#grant(pusher, 'POST')
  }

  /** Lets a function close every connection of this API. */
  grantClose(closer: TableFunction): void {
    this.#grant(closer, 'DELETE')
  }

  #grant(user: TableFunction, method: 'POST' | 'DELETE'): void {
    const { partition, region, account } = Stack.of(this)
    const connections = `${this.#api.apiId}/${stageName}/${method}/@connections/*`
    user.allow(
      statement(
        ['execute-api:ManageConnections'],
        [`arn:${partition}:execute-api:${region}:${account}:${connections}`],
      ),
    )
    const id = Stack.of(this).getLogicalId(this.#api.node.defaultChild as CfnResource)
    const orParameter = (value: string, parameter: string) =>
      Token.isUnresolved(value) ? `<AWS::${parameter}>` : value
    const place = `${orParameter(region, 'Region')}:${orParameter(account, 'AccountId')}`
    const finding = `Resource::arn:<AWS::Partition>:execute-api:${place}:<${id}>/${stageName}/${method}/@connections/*`
    acceptRisk(user.role ?? user, `AwsSolutions-IAM5[${finding}]`, 'The ids of connections are not known beforehand')
  }

  /** Without a role that is set for the whole region, API Gateway refuses a WebSocket stage with access logs. */
  #letGatewayLog(deployed: WebSocketStage): void {
    const role = new Role(this, 'GatewayLogRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs')],
    })
    acceptRisk(
      role,
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
      'API Gateway asks for this very policy, for a role that serves every API of the region',
    )
    const account = new CfnAccount(this, 'GatewayAccount', { cloudWatchRoleArn: role.roleArn })
    // An account that has never had an API has no such settings yet.
    account.addResourceDependency(this.#api.node.defaultChild as CfnResource)
    // Other APIs of the account may use it by now.
    for (const resource of [role, account]) resource.applyRemovalPolicy(RemovalPolicy.RETAIN)
    deployed.node.addDependency(account)
  }
}
