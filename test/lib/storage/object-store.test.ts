import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { accountVariables } from '../../../infra/local/local-account.ts'
import { startQueueAndStorage } from '../../../infra/local/queue/queue-and-storage.ts'
import type { StorageConfig } from '../../../lib/storage/object-store.ts'
import {
  newObjectKey,
  newUploadKey,
  objectUrl,
  putObject,
  removeObject,
  uploadUrl,
} from '../../../lib/storage/object-store.ts'

const storage = await startQueueAndStorage()
Object.assign(process.env, accountVariables, { AWS_ENDPOINT_URL_S3: storage.endpoint })
const folder = await mkdtemp(join(tmpdir(), 'table-control-objects-'))
afterAll(() => Promise.all([storage.stop(), rm(folder, { recursive: true })]))
afterEach(() => storage.faults.clear())

const config: StorageConfig = { REPORT_BUCKET: storage.bucket, STORAGE_PATH_STYLE: 'on' }
const contentType = 'application/octet-stream'
const fileName = 'a.bin'
const presignUrl = (key: string) => objectUrl(config, key, { seconds: 60, signedAt: new Date() })

async function read(key: string): Promise<Buffer> {
  const response = await fetch(await presignUrl(key))
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

const MiB = 1024 * 1024

describe('a stored object', () => {
  it.each([0, 1, 8 * MiB - 1, 8 * MiB, 8 * MiB + 1, 20 * MiB])('is read back unchanged with %d bytes', async (size) => {
    const body = randomBytes(size)
    const file = join(folder, `${size}.bin`)
    await writeFile(file, body)
    for (const source of [body, { file }]) {
      const key = newObjectKey()
      expect(await putObject(config, key, { body: source, contentType, fileName })).toBe(size)
      expect((await read(key)).equals(body)).toBe(true)
    }
  })

  it.each([1, 9 * MiB])('is kept by no cache on its way to the browser, with %d bytes', async (size) => {
    const key = newObjectKey()
    await putObject(config, key, { body: randomBytes(size), contentType, fileName })
    const { headers } = await fetch(await presignUrl(key))
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  it('is gone after it was removed, and can be removed again', async () => {
    const key = newObjectKey()
    await putObject(config, key, { body: Buffer.from('x'), contentType, fileName })
    await removeObject(config, key)
    await removeObject(config, key)
    expect((await fetch(await presignUrl(key))).status).toBe(403)
  })

  it('survives a store that fails twice, and connections that break', async () => {
    const key = newObjectKey()
    storage.faults.add({ action: 'PUT', status: 503, code: 'SlowDown' })
    storage.faults.add({ action: 'PUT', kind: 'reset' })
    await putObject(config, key, { body: randomBytes(9 * MiB), contentType, fileName })
    expect((await read(key)).length).toBe(9 * MiB)
  })

  it('is not left half stored when a part fails for good', async () => {
    const key = newObjectKey()
    storage.faults.add({ action: 'PUT', status: 500, code: 'InternalError', times: 9 })
    await expect(putObject(config, key, { body: randomBytes(9 * MiB), contentType, fileName })).rejects.toMatchObject({
      code: 'unavailable',
    })
    expect((await fetch(await presignUrl(key))).status).toBe(403)
  })
})

describe('a signed URL', () => {
  it.each([
    ['of another length', { body: 'xy' }],
    ['of another type', { headers: { 'content-type': 'text/plain' } }],
    ['by another method', { method: 'POST' }],
  ])('takes no upload %s, and then the one that was signed', async (_, other) => {
    const key = newUploadKey()
    const url = await uploadUrl(config, key, { bytes: 1, contentType, seconds: 60, signedAt: new Date() })
    const signed = { method: 'PUT', headers: { 'content-type': contentType }, body: 'x' }
    const statuses = [await fetch(url, { ...signed, ...other }), await fetch(url, signed)].map(({ status }) => status)
    expect(statuses).toEqual([403, 200])
    expect((await read(key)).toString()).toBe('x')
  })

  it('serves no other object and no other method than was signed', async () => {
    const [key, other] = [newObjectKey(), newObjectKey()]
    for (const one of [key, other]) await putObject(config, one, { body: Buffer.from('x'), contentType, fileName })
    const url = await presignUrl(key)
    const responses = await Promise.all([fetch(url.replace(key, other)), fetch(url, { method: 'HEAD' }), fetch(url)])
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 200])
  })
})

describe('a URL that is signed in a deployment', () => {
  it.each([
    ['eu-central-1', 'IPv4', {}, 'https://reports.s3.eu-central-1.amazonaws.com'],
    ['us-east-1', 'IPv4', {}, 'https://reports.s3.us-east-1.amazonaws.com'],
    [
      'eu-central-1',
      'IPv6',
      { AWS_USE_DUALSTACK_ENDPOINT: 'true' },
      'https://reports.s3.dualstack.eu-central-1.amazonaws.com',
    ],
  ])('leads to a host that pages of the explorer may call, in %s over %s', async (AWS_REGION, _, more, origin) => {
    const deployed = { ...accountVariables, AWS_REGION, AWS_SESSION_TOKEN: 'session', ...more }
    for (const [name, value] of Object.entries(deployed)) vi.stubEnv(name, value)
    vi.stubEnv('AWS_ENDPOINT_URL_S3', undefined)
    const storage = { REPORT_BUCKET: 'reports', STORAGE_PATH_STYLE: 'off' } as const
    const use = { seconds: 60, signedAt: new Date() }
    const urls = [
      await objectUrl(storage, newObjectKey(), use),
      await uploadUrl(storage, newUploadKey(), { ...use, bytes: 1, contentType }),
    ].map((url) => new URL(url))
    vi.unstubAllEnvs()
    expect(urls.map((url) => url.origin)).toEqual([origin, origin])
    // S3 takes the keys of a role together with the token of their session alone.
    for (const { searchParams } of urls) expect(searchParams.get('X-Amz-Security-Token')).toBe('session')
  })
})

describe('a failure', () => {
  const body = Buffer.from('x')

  it('is `unavailable` if the store cannot be reached', async () => {
    process.env['AWS_ENDPOINT_URL_S3'] = 'http://127.0.0.1:1'
    const unreachable = { ...config }
    await expect(putObject(unreachable, newObjectKey(), { body, contentType, fileName })).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
    })
    process.env['AWS_ENDPOINT_URL_S3'] = storage.endpoint
  })

  it('is `unavailable` if the bucket does not exist', async () => {
    const other = { ...config, REPORT_BUCKET: 'no-such-bucket' }
    await expect(putObject(other, newObjectKey(), { body, contentType, fileName })).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('is the error of the disk if the disk failed', async () => {
    const missing = { file: join(folder, 'missing') }
    await expect(putObject(config, newObjectKey(), { body: missing, contentType, fileName })).rejects.toMatchObject({
      code: 'ENOENT',
    })
  })

  it('names the setting if there is no bucket', async () => {
    const { STORAGE_PATH_STYLE } = config
    const put = putObject({ STORAGE_PATH_STYLE } as StorageConfig, newObjectKey(), { body, contentType, fileName })
    await expect(put).rejects.toThrow('The setting REPORT_BUCKET is missing')
  })
})
