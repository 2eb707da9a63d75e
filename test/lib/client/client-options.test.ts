import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, createTableClient, TableError } from '../../../lib/client/index.ts'
import { failureOf } from '../../support/table-clients.ts'

/** A client of a service that answers everything, and the addresses that were called. */
function countingClient(options: Partial<ClientOptions> = {}) {
  const urls: string[] = []
  const send: typeof fetch = async (input) => {
    urls.push(String(input))
    return Response.json({ success: true, items: [], unread_count: 0, next: null })
  }
  return { urls, client: createTableClient({ baseUrl: '', token: () => 'token', fetch: send, ...options }) }
}

const path = '/api/api-table/control-tables/notifications?'

/** Runs as on a page of this address, of which the client reads no more. */
const onPage = (href: string) => vi.stubGlobal('location', new URL(href))
afterEach(() => void vi.unstubAllGlobals())

describe('baseUrl', () => {
  it.each([
    ['', 'https://app.test'],
    ['/', 'https://app.test'],
    ['/tables', 'https://app.test/tables'],
    ['tables/', 'https://app.test/shop/tables'],
    ['//other.test', 'https://other.test'],
    ['https://other.test/stage/', 'https://other.test/stage'],
  ])('%j on a page leads to %s', async (baseUrl, base) => {
    onPage('https://app.test/shop/orders?page=2#top')
    const { client, urls } = countingClient({ baseUrl })
    await client.notifications()
    expect(urls).toEqual([base + path])
  })

  it.each(['', '/tables', 'tables.example.test', 'localhost:3000', 'ftp://tables.test', undefined as never])(
    '%j without a page is refused when the client is made, with what to write',
    (baseUrl) => {
      expect(() => countingClient({ baseUrl })).toThrow(
        expect.objectContaining({
          name: 'TableError',
          code: 'invalid_options',
          message: expect.stringContaining('give the whole URL of the service, such as "https://tables.example.com"'),
        }),
      )
    },
  )
})

describe('token', () => {
  it('is refused when the client is made where it is no function', () => {
    expect(() => countingClient({ token: undefined as never })).toThrow(
      new TableError('invalid_options', 'token: must be a function that returns the access token of the user'),
    )
  })

  it.each([
    ['nothing', () => undefined as never],
    ['an empty text', () => ''],
    ['an empty text later', () => Promise.resolve('')],
  ])('that returns %s ends a request before it is sent', async (_, token) => {
    const { client, urls } = countingClient({ baseUrl: 'https://tables.test', token })
    expect(await failureOf(client.notifications())).toMatchObject({
      code: 'no_token',
      status: 0,
      message: expect.stringContaining('let the user sign in first'),
    })
    expect(urls).toEqual([])
  })

  it('that throws ends a request with its own error', async () => {
    const signedOut = new Error('signed out')
    const token = () => Promise.reject(signedOut)
    const { client } = countingClient({ baseUrl: 'https://tables.test', token })
    await expect(client.notifications()).rejects.toBe(signedOut)
  })
})
