import { beforeEach, describe, expect, it } from 'vitest'
import { createImportClient } from '../../lib/client/imports.ts'
import { TableError } from '../../lib/client/table-error.ts'
import { north } from '../support/fixtures/identities.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'
import { createFailure } from '../support/requests/table-clients.ts'

const work = await startImportApi()
beforeEach(() => work.reset())

describe('the client of imports', () => {
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const { hostname, pathname, search } = new URL(request.url)
    if (hostname !== 'tables.example.test') return fetch(input, init)
    const body = await request.text()
    const { status, bytes, headers } = await work.request(
      {
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        ...(body !== '' && { body }),
      },
      { as: null },
    )
    return new Response(new Uint8Array(bytes), { status, headers: { 'content-type': headers['content-type'] ?? '' } })
  }
  const token = () => work.provider.tokenFor(north)

  it('uploads a file, shows its plan, and applies it', async () => {
    const client = createImportClient({ baseUrl: 'https://tables.example.test', token, fetch: send })
    const edited = await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'By the client'
    })
    const id = await client.upload('orders', new Blob([new Uint8Array(edited)]))
    expect((await client.show('orders', id)).import.state).toBe('reading')
    await work.work()
    const { plan } = await client.show('orders', id)
    expect(plan?.cells).toMatchObject([{ field: 'title', file: 'By the client' }])
    const applied = await client.apply('orders', id, plan?.id ?? '')
    expect(applied.cells).toEqual({ changed: 1, refused: 0 })
    expect(applied.undo?.url).toContain('/undo/orders/')
  })

  it.each([
    ['does not answer', () => 'http://127.0.0.1:1/', { code: 'upload_failed', status: 0 }],
    ['refuses it', (url: string) => url.split('?')[0], { code: 'upload_failed', status: 403 }],
  ])('rejects with a code where the storage %s', async (_what, change, expected) => {
    const client = createImportClient({
      baseUrl: 'https://tables.example.test',
      token,
      fetch: async (input, init) => {
        if (init?.method === 'PUT') return fetch(input, init)
        const json = (await (await send(input, init)).json()) as { upload: { url: string } }
        return Response.json({ ...json, upload: { ...json.upload, url: change(json.upload.url) } })
      },
    })
    const failure = await client.upload('orders', new Blob(['id\n'])).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TableError)
    expect(failure).toMatchObject(expected)
  })

  it('sends the file by the `fetch` of its options, once if its response is lost, and applies a plan once', async () => {
    const methods: unknown[] = []
    let isCut = false
    const client = createImportClient({
      baseUrl: 'https://tables.example.test',
      token,
      fetch: async (input, init) => {
        methods.push(init?.method)
        const response = await send(input, init)
        if (!isCut) return response
        isCut = false
        throw new TypeError('the line was cut')
      },
    })
    const edited = await editSheet(await work.exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'Sent once'
    })
    const file = new Blob([new Uint8Array(edited)])
    isCut = true
    expect(await createFailure(client.upload('orders', file))).toMatchObject({ code: 'unreachable' })
    expect(methods).toEqual(['POST'])
    const id = await client.upload('orders', file)
    expect(methods).toEqual(['POST', 'POST', 'PUT'])
    await client.show('orders', id)
    await work.work()
    const { plan } = await client.show('orders', id)
    isCut = true
    const applied = await client.apply('orders', id, plan?.id ?? '')
    expect(applied.cells).toEqual({ changed: 1, refused: 0 })
    expect(methods.slice(5)).toEqual(['POST', 'POST'])
  })

  it('rejects with `aborted` where the caller stops the upload', async () => {
    const stop = new AbortController()
    const client = createImportClient({
      baseUrl: 'https://tables.example.test',
      token,
      fetch: async (input, init) => {
        const response = await send(input, init)
        stop.abort()
        return response
      },
    })
    const failure = await client
      .upload('orders', new Blob(['id\n']), { signal: stop.signal })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'aborted' })
  })
})
