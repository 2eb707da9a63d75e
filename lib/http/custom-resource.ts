import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'

const properties = z.record(z.string(), z.unknown())

const event = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url({ protocol: /^https$/ }),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  PhysicalResourceId: z.optional(z.string()),
  ResourceProperties: properties,
  OldResourceProperties: z._default(properties, {}),
})

/** What CloudFormation tells a custom resource; all numbers among the properties arrive as texts. */
export type ResourceEvent = z.infer<typeof event>

/** Throws where it is nothing that CloudFormation sends. */
export const readResourceEvent = (written: unknown): ResourceEvent => z.parse(event, written)

/** CloudFormation takes 4 KB in all. */
const longestReason = 1_500
const attempts = 3

/** Tells CloudFormation, which waits for it, that it is done, or in `failure` why it is not. Tried three times. */
export async function answerResource(request: ResourceEvent, failure?: string): Promise<void> {
  const { ResponseURL, StackId, RequestId, LogicalResourceId, PhysicalResourceId = LogicalResourceId } = request
  const outcome =
    failure === undefined ? { Status: 'SUCCESS' } : { Status: 'FAILED', Reason: failure.slice(0, longestReason) }
  const answer = JSON.stringify({ ...outcome, StackId, RequestId, LogicalResourceId, PhysicalResourceId })
  // As bytes: with a text, fetch would add a content type, which the URL was not signed for.
  const put = { method: 'PUT', body: Buffer.from(answer), redirect: 'error' } as const
  for (let attempt = 1; ; attempt += 1) {
    const status = await fetch(ResponseURL, { ...put, signal: AbortSignal.timeout(10_000) }).then(
      (response) => response.status,
      () => 0,
    )
    if (status >= 200 && status < 300) return
    if (attempt === attempts) throw new Error(`CloudFormation did not take the answer (${status})`)
    await sleep(attempt * 500)
  }
}
