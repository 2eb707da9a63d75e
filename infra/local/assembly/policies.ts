import * as z from 'zod'
import type { Authorize } from '../authorize.ts'
import type { Resolve } from './resolve.ts'
import { referencedIds, type Template } from './template.ts'

const many = z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(z.unknown()))
const statement = z.object({
  Effect: z.literal('Allow'),
  Action: many,
  Resource: many,
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
})
const policy = z.object({
  PolicyDocument: z.object({ Statement: z.array(z.unknown()) }),
  Roles: z.array(z.unknown()).default([]),
})
const lambda = z.object({ Role: z.unknown() })

type Statement = z.output<typeof statement>

/** Whether a text is one that a pattern of IAM, with `*` and `?`, stands for. */
export function isLike(text: string, pattern: string): boolean {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(text)
}

/**
 * Judges requests by the policies of the template: the logical id of a function is its access key, and any other key is
 * the operator's, who may do everything. Of conditions it knows StringEquals; any other one is not met.
 */
export function authorizeBy(template: Template, resolve: Resolve): Authorize {
  const policies = template.listResources('AWS::IAM::Policy', policy)
  const functions = new Map(
    template.listResources('AWS::Lambda::Function', lambda).map(({ id, properties }) => {
      const [role = ''] = referencedIds(properties.Role)
      const own = policies.filter(({ properties: { Roles } }) => referencedIds(Roles).includes(role))
      const written = own.flatMap(({ properties: { PolicyDocument } }) => PolicyDocument.Statement)
      return [id, written.flatMap((one) => statement.safeParse(one).data ?? [])] as const
    }),
  )
  return ({ accessKeyId, action, resources, context = {} }) => {
    const statements = functions.get(accessKeyId)
    if (statements === undefined) return true
    const applying = statements.filter(
      ({ Action, Condition }) =>
        Action.some((one) => isLike(action, String(one))) && isMet(Condition, context, resolve),
    )
    const allowed = applying.flatMap(({ Resource }) => resolve(Resource, `The policy of ${accessKeyId}`) as unknown[])
    return resources.every((one) => allowed.some((pattern) => isLike(one, String(pattern))))
  }
}

const isMet = (condition: Statement['Condition'], context: Readonly<Record<string, string>>, resolve: Resolve) =>
  Object.entries(condition).every(
    ([operator, keys]) =>
      operator === 'StringEquals' &&
      Object.entries(keys).every(([key, wanted]) => [resolve(wanted, key)].flat().includes(context[key] ?? '')),
  )
