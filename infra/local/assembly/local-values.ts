import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { localAccount, localArn } from '../local-account.ts'
import { readOrCreate } from '../local-directory.ts'
import { queueArn } from '../queue/queue-definition.ts'
import type { LocalValues } from './resolve.ts'
import type { Resource, Template } from './template.ts'

const anything = z.object({})
const bucket = z.object({ BucketName: z.string().optional() })
const configurationSet = z.object({ Name: z.string().optional() })
const generated = z.object({
  PasswordLength: z.number().default(32),
  SecretStringTemplate: z.string().optional(),
  GenerateStringKey: z.string().optional(),
})
const secret = z.object({ GenerateSecretString: generated.optional() })

type Ids = readonly { readonly id: string }[]

/** The bucket's name on this machine: the template's, or one made of its logical id. */
export const localBuckets = (template: Template): ReadonlyMap<string, string> =>
  new Map(
    template
      .listResources('AWS::S3::Bucket', bucket)
      .map(({ id, properties }) => [id, properties.BucketName ?? id.toLowerCase()]),
  )

/** API Gateway's own ids are lower case too, as parts of host names. */
export const findApiId = (id: string): string => id.toLowerCase()

/** The host under which API Gateway would serve an API. */
export const apiHost = (id: string): string => `${findApiId(id)}.execute-api.${localAccount.region}.amazonaws.com`

const functionArn = (id: string): string => localArn('lambda', `function:${id}`)

const secretArn = (id: string): string => localArn('secretsmanager', `secret:${id}`)

export const ruleArn = (id: string): string => localArn('events', `rule/${id}`)

/** Returns the local values of the template's resources. Generated secrets are kept in `directory`. */
export function localValues(
  template: Template,
  directory: string,
  findQueueUrl: (queue: string) => string,
): LocalValues {
  const listIds = (type: string): Ids => template.listResources(type, anything)
  const buckets = [...localBuckets(template)]
  const sets = template.listResources('AWS::SES::ConfigurationSet', configurationSet)
  const secrets = template.listResources('AWS::SecretsManager::Secret', secret)
  const pairWithValue = (ids: Ids, value: (id: string) => string) => ids.map(({ id }) => [id, value(id)] as const)
  const queues = listIds('AWS::SQS::Queue')
  const apis = listIds('AWS::ApiGatewayV2::Api')
  const functions = listIds('AWS::Lambda::Function')
  return {
    refs: new Map([
      ...pairWithValue(queues, findQueueUrl),
      ...buckets,
      ...pairWithValue(apis, findApiId),
      ...pairWithValue(functions, (id) => id),
      ...sets.map(({ id, properties }) => [id, properties.Name ?? id] as const),
      ...pairWithValue(secrets, secretArn),
    ]),
    attributes: new Map([
      ...queues.map(({ id }) => [`${id}.Arn`, queueArn(id)] as const),
      ...queues.map(({ id }) => [`${id}.QueueName`, id] as const),
      ...buckets.map(([id, name]) => [`${id}.Arn`, `arn:aws:s3:::${name}`] as const),
      ...apis.map(({ id }) => [`${id}.ApiEndpoint`, `https://${apiHost(id)}`] as const),
      ...functions.map(({ id }) => [`${id}.Arn`, functionArn(id)] as const),
      ...listIds('AWS::Events::Rule').map(({ id }) => [`${id}.Arn`, ruleArn(id)] as const),
    ]),
    secret: (arn, key) => {
      const found = secrets.find(({ id }) => secretArn(id) === arn)
      return found && secretValue(found, key, directory)
    },
  }
}

/** Generated once, as Secrets Manager would, and kept: what was signed stays valid over a restart. */
function secretValue(
  { id, properties }: Resource<z.output<typeof secret>>,
  key: string,
  directory: string,
): string | undefined {
  const { PasswordLength, SecretStringTemplate, GenerateStringKey } =
    properties.GenerateSecretString ?? generated.parse({})
  const create = () => randomBytes(PasswordLength).toString('hex')
  const isWhole = ({ length }: string) => length >= PasswordLength
  const password = readOrCreate(join(directory, id), create, isWhole).slice(0, PasswordLength)
  if (SecretStringTemplate === undefined) return key === '' ? password : undefined
  const fields = z.record(z.string(), z.string()).parse(JSON.parse(SecretStringTemplate))
  const whole = { ...fields, [GenerateStringKey ?? 'password']: password }
  return key === '' ? JSON.stringify(whole) : whole[key]
}
