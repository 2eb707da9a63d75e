import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec'
import type { PropertyType, ResourceProperties, SpecDatabase } from '@aws-cdk/service-spec-types'
import type { StackTemplate } from './stage-template.ts'

type Values = Readonly<Record<string, unknown>>

let loaded: Promise<SpecDatabase> | undefined

/** Loads the specification once for all templates: that takes seconds. */
const readSpecification = (): Promise<SpecDatabase> => {
  loaded ??= loadAwsServiceSpec()
  return loaded
}

/**
 * Compares every property of every resource with AWS's own specification. Returns a sentence for each resource type and
 * unknown property, each value of a wrong type and each property that is missing.
 */
export async function findPropertyFaults({ Resources }: StackTemplate): Promise<readonly string[]> {
  const specification = await readSpecification()
  return Object.entries(Resources).flatMap(([id, { Type, Properties }]) => {
    if (Type.startsWith('Custom::'))
      return typeof Properties['ServiceToken'] === 'object' ? [] : [`${id}: no ServiceToken`]
    const [found] = specification.lookup('resource', 'cloudFormationType', 'equals', Type)
    if (found === undefined) return [`${id}: there is no resource type ${Type}`]
    return compareProperties(specification, found.properties, Properties, `${id} (${Type})`)
  })
}

function compareProperties(
  specification: SpecDatabase,
  known: ResourceProperties,
  values: Values,
  place: string,
): readonly string[] {
  const missing = Object.entries(known).flatMap(([name, { required }]) =>
    required && values[name] === undefined ? [`${place}: ${name} is missing`] : [],
  )
  const wrong = Object.entries(values).flatMap(([name, value]) => {
    const property = known[name]
    if (property === undefined) return [`${place}: there is no property ${name}`]
    const types = [property.type, ...(property.previousTypes ?? [])]
    const faults = types.map((type) => compareValue(specification, type, value, `${place}.${name}`))
    return fewest(faults)
  })
  return [...missing, ...wrong]
}

/** Returns the shortest list: a value may be of several types, and the nearest type explains it best. */
const fewest = (faults: readonly (readonly string[])[]): readonly string[] =>
  faults.reduce((best, one) => (one.length < best.length ? one : best), faults[0] ?? [])

function compareValue(
  specification: SpecDatabase,
  type: PropertyType,
  value: unknown,
  place: string,
): readonly string[] {
  if (isIntrinsic(value)) return []
  switch (type.type) {
    case 'array':
      if (!Array.isArray(value)) return [describeMismatch('a list', value, place)]
      return value.flatMap((one, index) => compareValue(specification, type.element, one, `${place}.${index}`))
    case 'map':
      if (!isObject(value)) return [describeMismatch('an object', value, place)]
      return Object.entries(value).flatMap(([key, one]) =>
        compareValue(specification, type.element, one, `${place}.${key}`),
      )
    case 'union':
      return fewest(type.types.map((one) => compareValue(specification, one, value, place)))
    case 'ref':
      if (!isObject(value)) return [describeMismatch('an object', value, place)]
      return compareProperties(
        specification,
        specification.get('typeDefinition', type.reference.$ref).properties,
        value,
        place,
      )
    case 'tag':
      return isObject(value) && typeof value['Key'] === 'string' ? [] : [describeMismatch('a tag', value, place)]
    default:
      return isPrimitive(type, value) ? [] : [describeMismatch(`of type ${type.type}`, value, place)]
  }
}

function isPrimitive({ type }: PropertyType, value: unknown): boolean {
  switch (type) {
    case 'json':
      return typeof value === 'object' || typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number'
    default:
      return typeof value === 'string'
  }
}

/** Values that CloudFormation fills in have a type that the template does not name. */
function isIntrinsic(value: unknown): boolean {
  if (!isObject(value)) return false
  const [name = '', ...others] = Object.keys(value)
  return others.length === 0 && /^(?:Ref|Fn::\w+)$/.test(name)
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const describeMismatch = (what: string, value: unknown, place: string): string =>
  `${place}: ${JSON.stringify(value).slice(0, 60)} is not ${what}`
