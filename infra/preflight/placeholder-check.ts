import type { Stage } from '../settings/stage-settings.ts'
import type { Check } from './check.ts'
import { fault, ok } from './finding.ts'

/** Names that are reserved for examples (RFC 2606), and the values of Cognito that stages.ts is delivered with. */
const placeholder = /(^|[^a-z0-9-])example\.(com|net|org)(?![a-z0-9-]|\.[a-z])|_example$|^example-client$/i

/** Returns the settings below `value` that still hold a placeholder, such as `auth.issuer`, each with its value. */
function findPlaceholders(value: unknown, path = ''): readonly (readonly [path: string, value: string])[] {
  if (typeof value === 'string') return placeholder.test(value) ? [[path, value]] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (Array.isArray(value)) return findPlaceholders(inner, `${path}[${key}]`)
    return findPlaceholders(inner, path === '' ? key : `${path}.${key}`)
  })
}

export const hasOwnIssuer = ({ auth }: Stage): boolean => findPlaceholders(auth).length === 0

/** Finds values of stages.ts that are still the delivered examples. Makes no request. */
export const placeholderCheck: Check = {
  name: 'placeholders',
  actions: [],
  run: async ({ plan: { stage } }) => {
    const findings = findPlaceholders(stage).map(([path, value]) =>
      fault(`${path} is still "${value}"`, `Replace it by a value of yours in infra/stages.ts, under ${stage.name}`),
    )
    return findings.length > 0 ? findings : [ok('every name is your own')]
  },
}
