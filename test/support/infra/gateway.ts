import { request } from 'node:http'
import { onTestFinished } from 'vitest'
import { type GatewayOptions, startGateway } from '../../../infra/local/gateway/gateway.ts'
import type { LambdaHandler } from '../../../infra/local/lambda/local-function.ts'

export interface SentRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
}

export interface ReceivedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

export interface ServedGateway {
  readonly url: string
  readonly port: number
  /** Sends the path exactly as it is written, which fetch would not. */
  readonly send: (path: string, sent?: SentRequest) => Promise<ReceivedResponse>
}

/** The local gateway in front of the given handlers, by route key, until the test ends. */
export async function serveGateway(
  routes: Readonly<Record<string, LambdaHandler>>,
  { fallback, ...options }: Partial<Omit<GatewayOptions, 'fallback'>> & { readonly fallback?: LambdaHandler } = {},
): Promise<ServedGateway> {
  const functions = Object.entries(routes).map(([key, handler]) => [key, { name: 'stub', handler }] as const)
  const gateway = await startGateway({
    ...options,
    ...(fallback && { fallback: { name: 'stub', handler: fallback } }),
    routes: new Map(functions),
  })
  onTestFinished(gateway.stop)
  return { ...gateway, send: (path, sent = {}) => send(gateway.url, path, sent) }
}

/** A handler that answers with one text. */
export const responseText =
  (body: string): LambdaHandler =>
  () => ({ statusCode: 200, body })

/** A handler that answers with its event. */
export const answerEvent: LambdaHandler = (event) => ({ statusCode: 200, body: JSON.stringify(event) })

function send(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: SentRequest,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() })
      })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
