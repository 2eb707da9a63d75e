import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import { type IAccessLogSettings, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2'
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { RemovalPolicy } from 'aws-cdk-lib/core'
import type { Construct } from 'constructs'

/** Creates the log group of an API's access log. */
export const createAccessLogGroup = (scope: Construct, name: string): LogGroup =>
  new LogGroup(scope, 'AccessLogs', {
    // Under this prefix, API Gateway does not lengthen a policy of the account, whose length is limited.
    logGroupName: `/aws/vendedlogs/apigateway/${name}`,
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  })

/**
 * Writes one line of JSON for each request. It has the route instead of the path, which may hold the token of a
 * download. It has no query and no header, because these may hold tokens of callers.
 */
export function accessLog(logGroup: ILogGroup, fields: Readonly<Record<string, string>>): IAccessLogSettings {
  const line = {
    request_id: '$context.requestId',
    at: '$context.requestTime',
    route: '$context.routeKey',
    status: '$context.status',
    source_ip: '$context.identity.sourceIp',
    error: '$context.error.message',
    ...fields,
  }
  return { destination: new LogGroupLogDestination(logGroup), format: AccessLogFormat.custom(JSON.stringify(line)) }
}
