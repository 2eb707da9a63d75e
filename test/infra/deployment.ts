import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { DeploymentHandler } from '../../lib/index.ts'
import { bindPort } from '../support/network/bind-port.ts'
import { createTlsIdentity } from '../support/network/tls-identity.ts'
import { trustAuthority } from '../support/network/trusted-authority.ts'

interface AnsweredCall {
  readonly Status: string
  readonly Reason?: string
  readonly PhysicalResourceId: string
}

export interface Deployment {
  readonly url: string
  /** How many responses have come that `send` did not resolve with. */
  readonly countResponses: () => number
  /** Sends what CloudFormation would, and resolves with what it is told. */
  readonly send: (handler: DeploymentHandler, event: object) => Promise<AnsweredCall>
}

const identity = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Migrations' }

const tls = createTlsIdentity('localhost')

/** Lets this process trust the server of every deployment. The result ends that. */
export const trustDeployments = (): (() => void) => trustAuthority(tls.cert)

interface DeploymentOptions {
  /** Milliseconds that the function may run. */
  readonly remainingMs?: number
  /** The URL that receives the responses in place of the caller. */
  readonly redirectTo?: string
}

/** The side of CloudFormation, for one test. This process must trust it: see `trustDeployments`. */
export async function startDeployment(options: DeploymentOptions = {}): Promise<Deployment> {
  const { remainingMs = 60_000, redirectTo } = options
  const responses: { readonly body: string; readonly type: string | undefined }[] = []
  const server = createServer(tls, async (request, response) => {
    const body = await text(request)
    if (redirectTo !== undefined) return void response.writeHead(307, { location: redirectTo }).end()
    responses.push({ body, type: request.headers['content-type'] })
    response.end()
  })
  const ResponseURL = `https://localhost:${await bindPort(server)}/signed?by=them`
  onTestFinished(() => void server.close())
  return {
    url: ResponseURL,
    countResponses: () => responses.length,
    send: async (handler, event) => {
      await handler({ ...identity, ResponseURL, ...event }, { getRemainingTimeInMillis: () => remainingMs })
      const [received, ...more] = responses.splice(0)
      if (received === undefined || more.length > 0) throw new Error(`CloudFormation was answered ${more.length} times`)
      // The URL is signed for a request without one.
      if (received.type !== undefined) throw new Error(`the response has the content type ${received.type}`)
      const { StackId, RequestId, LogicalResourceId, ...outcome } = JSON.parse(received.body)
      if (JSON.stringify({ StackId, RequestId, LogicalResourceId }) !== JSON.stringify(identity))
        throw new Error(`the response is for ${received.body}`)
      return outcome
    },
  }
}
