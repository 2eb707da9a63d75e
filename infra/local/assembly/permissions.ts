import * as z from 'zod'
import { isLike } from './policies.ts'
import type { Resolve } from './resolve.ts'
import { referencedIds, type Template } from './template.ts'

const permission = z.object({
  Action: z.string(),
  FunctionName: z.unknown(),
  Principal: z.string(),
  SourceArn: z.unknown(),
})

/** A permission to call a function. */
export interface Permission {
  readonly functionId: string
  readonly principal: string
  /** With `*` for what does not matter. */
  readonly source: string
}

const callers = ['apigateway.amazonaws.com', 'events.amazonaws.com']

/** The permissions of the template to call its functions, for those who do so on this machine. */
export const readPermissions = (template: Template, resolve: Resolve): readonly Permission[] =>
  template
    .listResources('AWS::Lambda::Permission', permission)
    .filter(({ properties }) => properties.Action === 'lambda:InvokeFunction' && callers.includes(properties.Principal))
    .map(({ id, properties }) => ({
      functionId: referencedIds(properties.FunctionName)[0] ?? '',
      principal: properties.Principal,
      source: String(resolve(properties.SourceArn ?? '*', id)),
    }))

/** Whether a service, such as `events.amazonaws.com`, may call a function for a resource of its own. */
export const mayCall = (
  permissions: readonly Permission[],
  functionId: string,
  principal: string,
  source: string,
): boolean =>
  permissions.some((one) => one.functionId === functionId && one.principal === principal && isLike(source, one.source))
