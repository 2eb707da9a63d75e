import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

type Response = APIGatewayProxyStructuredResultV2

type Coder = typeof import('./content-coding.ts')

let coder: Coder | undefined

const loadCoder = async (): Promise<Coder> => {
  coder ??= await import('./content-coding.ts')
  return coder
}

/** Begins to load what compresses, which takes a millisecond: not before the first request waits for its database. */
export function beginCompression(): void {
  // A failure shows where the coder is used.
  if (coder === undefined) void loadCoder().catch(() => undefined)
}

/** Compresses the body of a response as its client accepts it; see `encodeResponse`. */
export const compressResponse = async (response: Response, acceptEncoding: string | undefined): Promise<Response> =>
  (coder ?? (await loadCoder())).encodeResponse(response, acceptEncoding)
