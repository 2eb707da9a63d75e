import type { Api } from './api.ts'

/** A `fetch` that hands requests to the handlers, for clients. */
export const createApiFetch =
  ({ request }: Pick<Api, 'request'>): typeof fetch =>
  async (input, init) => {
    const { pathname, search } = new URL(String(input))
    const { status, headers, text } = await request({
      method: init?.method ?? 'GET',
      path: pathname + search,
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof init?.body === 'string' && { body: JSON.parse(init.body) }),
    })
    return new Response(text, { status, headers: { 'content-type': headers['content-type'] ?? '' } })
  }
