import { GetAccountCommand } from '@aws-sdk/client-api-gateway'
import type { Check, CheckContext } from './check.ts'
import { listDeployedIds } from './deployed-stack.ts'
import { fault, type NewFinding, ok, warning } from './finding.ts'

/**
 * API Gateway's settings of the region: the role that writes its logs, and how many requests it takes for all APIs
 * together.
 */
export const gatewayCheck: Check = {
  name: 'api-gateway',
  actions: ['apigateway:GET on /account'],
  run: async (context) => {
    const { cloudwatchRoleArn, throttleSettings = {} } = await context.clients.gateway.send(new GetAccountCommand({}))
    return [logRole(context, cloudwatchRoleArn), rate(context, throttleSettings)]
  },
}

function logRole({ plan, deployed }: CheckContext, arn: string | undefined): NewFinding {
  if (!plan.createsGatewayLogRole) {
    if (arn) return ok(`logs are written by ${arn}`)
    return fault(
      'the region has no role by which API Gateway writes logs, so that a WebSocket stage with logs is refused',
      "Set gatewayLogRole: 'created' in stages.ts, or set a role: aws apigateway update-account",
    )
  }
  const own = listDeployedIds(deployed, 'AWS::IAM::Role').some((name) => arn?.endsWith(`/${name}`))
  if (!arn || own) return ok('the stack sets the role by which API Gateway writes logs')
  return warning(
    `the region already has ${arn}, which the stack would replace for all its APIs`,
    "Set gatewayLogRole: 'existing' in stages.ts",
  )
}

interface Throttle {
  readonly rateLimit?: number | undefined
  readonly burstLimit?: number | undefined
}

function rate({ plan }: CheckContext, { rateLimit = 0, burstLimit = 0 }: Throttle): NewFinding {
  const text = `${rateLimit} requests/s (burst ${burstLimit}) for all APIs of the region, the stage lets through ${plan.requestsPerSecond} (burst ${plan.burst})`
  if (plan.requestsPerSecond <= rateLimit && plan.burst <= burstLimit) return ok(text)
  return fault(
    text,
    `Lower requestsPerSecond, or: aws service-quotas request-service-quota-increase --service-code apigateway ` +
      `--quota-code L-8A5B8E43 --desired-value ${plan.requestsPerSecond} --region ${plan.region}`,
  )
}
