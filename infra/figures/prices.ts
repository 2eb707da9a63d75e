/** What one unit of something costs, and who says so. */
export interface Price {
  readonly usd: number
  readonly unit: string
  readonly source: string
  /** Of the source, where it has one; otherwise when it was read. A price without a source is from memory, to be checked. */
  readonly date: string
}

/** The region of all prices. Frankfurt, for one, costs some 10 to 20 % more. */
export const priceRegion = 'us-east-1'

const price = (usd: number, unit: string, source: string, date: string): Price => ({ usd, unit, source, date })
/** Nobody's page was found with this number on it. */
const fromMemory = (usd: number, unit: string): Price => price(usd, unit, 'from memory, to be checked', '2026-11-21')

const lambdaGuide =
  'https://git.mcrn.ar/mariano/lambda_local_runner/src/commit/957e45b8adae23ce50b966346229585b5df18b4d/docs/lambdas-md/lambda-13-cost.md'
const gatewayGuide = 'https://amnic.com/blogs/aws-api-gateway-pricing'
const gatewayExamples =
  'https://raw.githubusercontent.com/api-evangelist/amazon-web-services/refs/heads/main/plans/amazon-web-services-plans-pricing.yml'
const sqsGuide = 'https://adhdecode-articles-4.pages.dev/articles/sqs/sqs-cost-per-million-messages-pricing'
const s3Guide = 'https://devnotes.tech/understanding-aws-s3-pricing-a-complete-cost-breakdown-with-examples'
const sesGuide = 'https://www.acecloudinterviews.com/tutorials/aws/ses/'
const sesBill = 'https://superuser.com/questions/1399690'
const watchGuide = 'https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/'
const signozGuide = 'https://signoz.io/guides/cloudwatch-pricing'
const auroraGuide = 'https://awsnegotiations.com/blog/aurora-serverless-v2-pricing.html'
const rdsGuide = 'https://infratally.com/articles/aws-rds-pricing-explained-2026.html'
const rdsStorageGuide = 'https://www.usage.ai/blogs/aws/reserved-instances/rds/pricing-calculator/'
const natGuide = 'https://cloudburn.io/blog/aws-nat-gateway-pricing'
const secretsGuide = 'https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms'
const keysGuide = 'https://www.wring.co/blog/aws-kms-pricing-guide'

/** List prices without free tiers, discounts or taxes. AWS's own pages fill in their numbers by script, so most sources quote them. */
export const prices = {
  lambdaRequest: price(0.2 / 1e6, 'request', lambdaGuide, '2026-11-21'),
  lambdaGbSecond: price(0.0000133334, 'GB-second, arm64', lambdaGuide, '2026-11-21'),
  lambdaStorage: fromMemory(0.0000000309, 'GB-second of /tmp above 512 MB'),
  httpRequest: price(1 / 1e6, 'request of up to 512 KB', gatewayExamples, '2026-09-20'),
  socketMessage: price(1 / 1e6, 'message of up to 32 KB', gatewayGuide, '2026-11-21'),
  socketMinute: price(0.25 / 1e6, 'minute of a connection', gatewayGuide, '2026-11-21'),
  sqsRequest: price(0.4 / 1e6, 'request', sqsGuide, '2026-11-21'),
  s3Put: price(0.005 / 1e3, 'PUT', s3Guide, '2026-11-21'),
  s3Get: price(0.0004 / 1e3, 'GET', s3Guide, '2026-11-21'),
  s3Storage: price(0.023, 'GB-month', s3Guide, '2026-11-21'),
  sesMail: price(0.1 / 1e3, 'mail', sesGuide, '2026-11-21'),
  sesAttachment: price(0.12, 'GB of attachments, in base64', sesBill, '2019-01-29'),
  logsIn: price(0.5, 'GB', watchGuide, '2026-06-13'),
  logsKept: fromMemory(0.03, 'GB-month'),
  metric: price(0.3, 'month of a metric', signozGuide, '2026-02-15'),
  dashboard: price(3, 'month of a dashboard', watchGuide, '2026-06-13'),
  alarm: fromMemory(0.1, 'month of a metric in an alarm'),
  trace: fromMemory(5 / 1e6, 'trace recorded'),
  auroraUnit: price(0.12, 'hour of a capacity unit', auroraGuide, '2026-05-01'),
  auroraStorage: price(0.1, 'GB-month', auroraGuide, '2026-05-01'),
  auroraIo: fromMemory(0.2 / 1e6, 'I/O request'),
  't4g.micro': price(0.016, 'hour of an instance, `t4g.micro`', rdsGuide, '2026-11-22'),
  't4g.small': price(0.032, 'hour of an instance, `t4g.small`', rdsGuide, '2026-11-22'),
  't4g.medium': price(0.065, 'hour of an instance, `t4g.medium`', rdsGuide, '2026-11-22'),
  instanceStorage: price(0.115, 'GB-month of an instance', rdsStorageGuide, '2026-06-01'),
  natHour: price(0.045, 'hour of a NAT gateway', natGuide, '2026-02-24'),
  natGb: price(0.045, 'GB through a NAT gateway', natGuide, '2026-02-24'),
  addressHour: price(0.005, 'hour of a public IPv4 address', natGuide, '2026-02-24'),
  secret: price(0.4, 'month of a secret', secretsGuide, '2026-11-21'),
  key: price(1, 'month of a key', keysGuide, '2026-11-21'),
  keyUse: price(0.03 / 1e4, 'use of a key', keysGuide, '2026-11-21'),
  transferOut: price(0.09, 'GB to the internet', gatewayGuide, '2026-11-21'),
} as const satisfies Readonly<Record<string, Price>>

export type PriceName = keyof typeof prices

/** A limit of AWS that no setting of a stage moves. */
export interface Quota {
  readonly value: number
  readonly source: string
  readonly date: string
}

const apiGatewayQuotas = 'https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html'
const socketQuotas =
  'https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html'

/** What an account has in a region once it is no longer new; all of them can be raised on request. */
export const quotas = {
  gatewayPerSecond: { value: 10_000, source: apiGatewayQuotas, date: '2026-11-21' },
  socketsPerSecond: { value: 500, source: socketQuotas, date: '2026-11-21' },
  mailsPerSecond: { value: 14, source: 'from memory, to be checked', date: '2026-11-21' },
  mailsPerDay: { value: 50_000, source: 'from memory, to be checked', date: '2026-11-21' },
  messagesInFlight: { value: 120_000, source: 'from memory, to be checked', date: '2026-11-21' },
} as const satisfies Readonly<Record<string, Quota>>
