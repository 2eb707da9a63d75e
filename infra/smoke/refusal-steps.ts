import { guardBasePath } from '../../lib/routes.ts'
import { callService, expectStatus, readBody, type SmokeTarget } from './service-call.ts'
import { StepFailure } from './step-failure.ts'
import type { Steps } from './steps.ts'
import { envelope } from './wire.ts'

interface Refusal {
  readonly name: string
  readonly path: string
  readonly status: number
  readonly code: string
  /** Default: the token itself. */
  readonly token?: (token: string) => string | null
}

/**
 * A token of an unknown key would not do: its key may be new, so that the service may answer 503 while it looks for it.
 */
const withOtherSignature = (token: string): string =>
  `${token.slice(0, token.lastIndexOf('.'))}.${Buffer.alloc(256).toString('base64url')}`

const withoutToken = () => null
const asItIs = (token: string) => token

const refusals: readonly Refusal[] = [
  { name: 'unknown table', path: '/load-table/smoke-no-such-table', status: 404, code: 'table_not_found' },
  { name: 'unknown route', path: '/smoke-no-such-route', status: 404, code: 'route_not_found' },
  { name: 'token with another signature', path: '', status: 401, code: 'unauthenticated', token: withOtherSignature },
  { name: 'request without a token', path: '', status: 401, code: 'unauthenticated', token: withoutToken },
  {
    name: 'link that was altered',
    path: '/downloads/smoke',
    status: 404,
    code: 'download_not_found',
    token: withoutToken,
  },
]

/** Expects the envelope, in both languages, of what must be refused. */
export async function takeRefusalSteps(steps: Steps, target: SmokeTarget): Promise<void> {
  const base = guardBasePath(target.guards[0] ?? 'api')
  for (const { name, path, status, code, token = asItIs } of refusals) {
    await steps.take({
      name: `refusal of an ${name}`.replace(/ an ([^aeiou])/, ' a $1'),
      advice: {
        likely: 'The response is not from the service, but from another API or a proxy in front of it',
        fix: "Compare the base URL with the stack's output Url",
      },
      given: target,
      run: async () => {
        const response = await callService(target, `${base}${path}`, { token: token(target.token) })
        if (response.status === 200) throw new StepFailure(`a ${name} is answered 200`)
        expectStatus(response, status, code)
        const { errors } = readBody(envelope, response)
        return { seen: true, detail: `${status} ${code}: ${errors[0]}` }
      },
    })
  }
}
