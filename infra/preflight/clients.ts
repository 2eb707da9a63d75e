import { ACMClient } from '@aws-sdk/client-acm'
import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { EC2Client } from '@aws-sdk/client-ec2'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { RDSClient } from '@aws-sdk/client-rds'
import { ResourceGroupsTaggingAPIClient } from '@aws-sdk/client-resource-groups-tagging-api'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { SESv2Client } from '@aws-sdk/client-sesv2'
import { STSClient } from '@aws-sdk/client-sts'

/** The services that are asked, all in the stage's region and by the caller's own credentials. */
export function createClients(region: string) {
  const config = { region, maxAttempts: 3 }
  return {
    certificates: new ACMClient(config),
    cloudFormation: new CloudFormationClient(config),
    databases: new RDSClient(config),
    functions: new LambdaClient(config),
    gateway: new APIGatewayClient(config),
    identity: new STSClient(config),
    logs: new CloudWatchLogsClient(config),
    mail: new SESv2Client(config),
    network: new EC2Client(config),
    quotas: new ServiceQuotasClient(config),
    secrets: new SecretsManagerClient(config),
    tags: new ResourceGroupsTaggingAPIClient(config),
  }
}

export type Clients = ReturnType<typeof createClients>

export function destroyClients(clients: Clients): void {
  for (const client of Object.values(clients)) client.destroy()
}
