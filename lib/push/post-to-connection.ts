import { errorName } from '../telemetry/log.ts'

/** The outcome of one attempt. */
export interface PostOutcome {
  /**
   * `gone`: the client has left. `busy`: another attempt may succeed. `failed`: it would not, or the message may have
   * arrived.
   */
  readonly outcome: 'delivered' | 'gone' | 'busy' | 'failed'
  /** The name of the error, for the log. */
  readonly cause?: string
}

/** Sends a text to one connection, once. Never rejects. */
export type Post = (connectionId: string, text: string, signal: AbortSignal) => Promise<PostOutcome>

const posts = new Map<string, Promise<Post>>()

/** Returns the one client of a gateway stage. Loads the SDK at the first push. */
export function postTo(endpoint: string): Promise<Post> {
  const post = posts.get(endpoint) ?? createPost(endpoint)
  posts.set(endpoint, post)
  return post
}

const timeouts = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true }

async function openGateway(endpoint: string) {
  const sdk = await import('@aws-sdk/client-apigatewaymanagementapi')
  // The API's own host has IPv6 addresses; the SDK refuses the setting beside an endpoint.
  const options = { endpoint, useDualstackEndpoint: false, maxAttempts: 1, requestHandler: timeouts }
  return { ...sdk, client: new sdk.ApiGatewayManagementApiClient(options) }
}

async function createPost(endpoint: string): Promise<Post> {
  const { client, PostToConnectionCommand } = await openGateway(endpoint)
  return async (connectionId, text, signal) => {
    try {
      await client.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: Buffer.from(text) }), {
        abortSignal: signal,
      })
      return { outcome: 'delivered' }
    } catch (error) {
      return classifyPostError(error)
    }
  }
}

/** Closes one connection. Returns false if it may still be open. Never rejects. */
export type Disconnect = (connectionId: string) => Promise<boolean>

/** Returns a function that closes connections of one gateway stage. */
export async function disconnectFrom(endpoint: string): Promise<Disconnect> {
  const { client, DeleteConnectionCommand } = await openGateway(endpoint)
  return (connectionId) =>
    client.send(new DeleteConnectionCommand({ ConnectionId: connectionId })).then(
      () => true,
      (error) => classifyPostError(error).outcome === 'gone',
    )
}

/** The errors of kept connections that died while the function was frozen. */
const lostConnection: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED'])

function classifyPostError(error: unknown): PostOutcome {
  const cause = errorName(error)
  const status = httpStatus(error)
  if (status === 410) return { outcome: 'gone', cause }
  const lost = error instanceof Error && 'code' in error && lostConnection.has(error.code)
  return { outcome: lost || status === 429 || status >= 500 ? 'busy' : 'failed', cause }
}

/** Returns the HTTP status of the gateway's response, or 0 if there was none. */
function httpStatus(error: unknown): number {
  const metadata: unknown = error instanceof Error ? Reflect.get(error, '$metadata') : undefined
  const status: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'httpStatusCode') : 0
  return typeof status === 'number' ? status : 0
}
