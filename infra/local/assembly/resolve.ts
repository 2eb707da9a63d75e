import { localAccount } from '../local-account.ts'

/** The local values in place of those that CloudFormation fills in. */
export interface LocalValues {
  /** Values of `Ref` by logical id. */
  readonly refs: ReadonlyMap<string, string>
  /** Values of `Fn::GetAtt` by logical id and attribute, such as `Queue.Arn`. */
  readonly attributes: ReadonlyMap<string, string>
  /** Reads a secret by its ARN, or one key of it; `undefined` for an unknown secret or key. */
  readonly secret: (arn: string, key: string) => string | undefined
}

/** Replaces the references in a value of a template. Throws what cannot be replaced, with `place` in front of it. */
export type Resolve = (value: unknown, place: string) => unknown

const pseudo: Readonly<Record<string, string>> = {
  'AWS::Region': localAccount.region,
  'AWS::AccountId': localAccount.id,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
}

const dynamicReference = /\{\{resolve:secretsmanager:(.+?):SecretString:([^:}]*)(?::[^}]*)?\}\}/g

/** Whether a value of a template, as it stands there, holds a secret. */
export const holdsSecret = (value: unknown): boolean => JSON.stringify(value).includes('{{resolve:')

export function createResolver(values: LocalValues): Resolve {
  const fail = (place: string, what: unknown): never => {
    throw new Error(`${place}: this machine has no equivalent of ${JSON.stringify(what)}`)
  }
  const reference = (name: string, place: string) => pseudo[name] ?? values.refs.get(name) ?? fail(place, { Ref: name })
  const attribute = (name: string, place: string) =>
    values.attributes.get(name) ?? fail(place, { 'Fn::GetAtt': name.split('.') })
  const withSecrets = (text: string, place: string) =>
    text.replace(dynamicReference, (all, arn: string, key: string) => values.secret(arn, key) ?? fail(place, all))
  const resolve: Resolve = (value, place) => {
    if (typeof value === 'string') return value
    if (Array.isArray(value)) return value.map((one) => resolve(one, place))
    if (typeof value !== 'object' || value === null) return value
    const [[name, given] = ['', undefined], ...more] = Object.entries(value)
    if (more.length > 0 || !/^(?:Ref|Fn::.*)$/.test(name)) {
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one, place)]))
    }
    if (name === 'Ref') return reference(String(given), place)
    if (name === 'Fn::GetAtt') return attribute([given].flat().join('.'), place)
    if (name === 'Fn::Join' && Array.isArray(given)) {
      const parts = resolve(given[1], place)
      return withSecrets(Array.isArray(parts) ? parts.join(String(given[0])) : '', place)
    }
    if (name === 'Fn::Sub' && typeof given === 'string') {
      return given.replace(/\$\{([^!}]+)\}/g, (_, what: string) =>
        what.includes('.') ? attribute(what, place) : reference(what, place),
      )
    }
    return fail(place, value)
  }
  return (value, place) => {
    const resolved = resolve(value, place)
    return typeof resolved === 'string' ? withSecrets(resolved, place) : resolved
  }
}
