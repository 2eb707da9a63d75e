import { createServer } from 'node:https'
import { bindPort } from '../network/bind-port.ts'
import { createTlsIdentity } from '../network/tls-identity.ts'
import { trustAuthority } from '../network/trusted-authority.ts'
import { type IdentityProvider, startIdentityProvider } from '../requests/identity-provider.ts'

interface Response {
  readonly status?: number
  readonly body?: unknown
}

/** Responses of the issuer by path; any other path is answered 404. */
export type IssuerResponses = Readonly<Record<string, Response>>

export interface HttpsIssuer {
  readonly url: string
  readonly jwksUrl: string
  /** Sets the responses: those of a healthy issuer, changed by these. */
  readonly setResponses: (changes?: IssuerResponses) => void
  readonly tokenFor: IdentityProvider['tokenFor']
  readonly stop: () => Promise<void>
}

const keysPath = '/.well-known/jwks.json'
const discoveryPath = '/.well-known/openid-configuration'

/** An issuer behind https on localhost, whose certificate this process trusts until it is stopped. */
export async function startHttpsIssuer(): Promise<HttpsIssuer> {
  const tls = createTlsIdentity('localhost')
  const endTrust = trustAuthority(tls.cert)
  const keys = await startIdentityProvider()
  const keySet = await (await fetch(keys.jwksUrl)).json()
  let responses: IssuerResponses = {}
  const server = createServer(tls, ({ url = '' }, response) => {
    const { status = 200, body } = responses[url] ?? { status: 404 }
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const url = `https://localhost:${await bindPort(server)}`
  const jwksUrl = `${url}${keysPath}`
  const healthy: IssuerResponses = {
    [keysPath]: { body: keySet },
    [discoveryPath]: { body: { issuer: url, jwks_uri: jwksUrl } },
  }
  responses = healthy
  return {
    url,
    jwksUrl,
    setResponses: (changes = {}) => {
      responses = { ...healthy, ...changes }
    },
    tokenFor: ({ sub, ...claims }, faults) => keys.tokenFor({ iss: url, sub, ...claims }, faults),
    stop: async () => {
      endTrust()
      await keys.stop()
      await new Promise((closed) => server.close(closed).closeAllConnections())
    },
  }
}
