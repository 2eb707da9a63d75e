import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { DeploymentHandler } from '../../lib/index.ts'

interface Answered {
  readonly Status: string
  readonly Reason?: string
  readonly PhysicalResourceId: string
}

export interface Deployment {
  /** Sends what CloudFormation would, and resolves with what it is told. */
  readonly send: (handler: DeploymentHandler, event: object) => Promise<Answered>
}

const identity = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'Migrations' }

/** The side of CloudFormation, for one test. */
export async function startDeployment({ remainingMs = 60_000 } = {}): Promise<Deployment> {
  const answers: { readonly body: string; readonly type: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    answers.push({ body: await text(request), type: request.headers['content-type'] })
    response.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const ResponseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/signed?by=them`
  return {
    send: async (handler, event) => {
      await handler({ ...identity, ResponseURL, ...event }, { getRemainingTimeInMillis: () => remainingMs })
      const [answer, ...more] = answers.splice(0)
      if (answer === undefined || more.length > 0) throw new Error(`CloudFormation was answered ${more.length} times`)
      // The URL is signed for a request without one.
      if (answer.type !== undefined) throw new Error(`the answer has the content type ${answer.type}`)
      const { StackId, RequestId, LogicalResourceId, ...told } = JSON.parse(answer.body)
      if (JSON.stringify({ StackId, RequestId, LogicalResourceId }) !== JSON.stringify(identity))
        throw new Error(`the answer is for ${answer.body}`)
      return told
    },
  }
}
