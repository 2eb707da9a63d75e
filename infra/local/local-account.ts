/** The account in which the local services live. They ask for signed requests, and check the signatures of URLs. */
export const localAccount = { id: '000000000000', region: 'eu-central-1' } as const

/** Returns the ARN of a resource of a service, such as `sqs` or `events`, in the local account. */
export const localArn = (service: string, resource: string): string =>
  `arn:aws:${service}:${localAccount.region}:${localAccount.id}:${resource}`

/** The settings of SDK clients for the local services. */
export const localCredentials = {
  region: localAccount.region,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const

/** The same as variables of the AWS SDK. */
export const accountVariables = {
  AWS_REGION: localAccount.region,
  AWS_ACCESS_KEY_ID: localCredentials.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localCredentials.credentials.secretAccessKey,
} as const
