import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveQueue } from '../support/infra/queue.ts'

describe('the queue', () => {
  it('is reached at 127.0.0.1 by its name', async () => {
    const { queueUrl, deadLetterQueueUrl, endpoint } = await serveQueue()
    expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(queueUrl).toBe(`${endpoint}/000000000000/table-control-reports`)
    expect(deadLetterQueueUrl).toBe(`${endpoint}/000000000000/table-control-reports-dead`)
  })

  it('hides a message that was received, shows it again, and moves it aside after the last receive', async () => {
    const queue = await serveQueue({ maxReceives: 2 })
    await queue.send('poison')
    const [first] = await queue.receive(1)
    expect(first?.Attributes?.['ApproximateReceiveCount']).toBe('1')
    expect(await queue.receive(0)).toEqual([])
    const [second] = await queue.receive(20)
    expect([second?.Body, second?.Attributes?.['ApproximateReceiveCount']]).toEqual(['poison', '2'])
    expect(await queue.receive(2)).toEqual([])
    const [dead] = await queue.receive(20, queue.deadLetterQueueUrl)
    expect(dead?.Body).toBe('poison')
  })

  it('does not give a message to a client that has stopped waiting', async () => {
    const queue = await serveQueue({ visibilitySeconds: 60 })
    const abandoned = new AbortController()
    const poll = new ReceiveMessageCommand({ QueueUrl: queue.queueUrl, WaitTimeSeconds: 20 })
    const waiting = queue.sqs.send(poll, { abortSignal: abandoned.signal })
    await queue.receive(1)
    abandoned.abort()
    await expect(waiting).rejects.toThrow('abort')
    await queue.receive(1)
    await queue.send('for whoever still waits')
    expect(await queue.receive(1)).toHaveLength(1)
  })

  it('keeps messages and takes new settings over a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'table-control-queue-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const before = await serveQueue({ directory })
    await before.send('kept')
    await before.stop()
    const after = await serveQueue({ directory, visibilitySeconds: 7 })
    const asked = { QueueUrl: after.queueUrl, AttributeNames: ['VisibilityTimeout' as const] }
    const { Attributes } = await after.sqs.send(new GetQueueAttributesCommand(asked))
    expect(Attributes).toEqual({ VisibilityTimeout: '7' })
    expect((await after.receive(1)).map(({ Body }) => Body)).toEqual(['kept'])
  })

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('fails as a fault says %s a message is accepted, and then recovers', async (when, taken) => {
    const queue = await serveQueue()
    queue.faults.add({ action: 'SendMessage', code: 'RequestThrottled', when })
    await expect(queue.send('one')).rejects.toMatchObject({ name: 'RequestThrottled' })
    expect(await queue.left()).toBe(taken)
    await queue.send('two')
    expect(await queue.left()).toBe(taken + 1)
  })

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('closes the connection %s a message is accepted', async (when, taken) => {
    const queue = await serveQueue()
    queue.faults.add({ action: 'SendMessage', kind: 'reset', when })
    await expect(queue.send('one')).rejects.toThrow(/ECONNRESET|socket hang up/)
    expect(await queue.left()).toBe(taken)
  })

  it.each(['application/x-www-form-urlencoded', 'application/json', 'text/plain', undefined])(
    'takes faults of the content type %s, as curl and others send them',
    async (type) => {
      const { endpoint, faults } = await serveQueue()
      const body = new Blob([JSON.stringify({ action: 'SendMessage', times: 2 })], { type: type ?? '' })
      const { status } = await fetch(`${endpoint}/faults`, { method: 'POST', body })
      expect([status, faults.take({ action: 'SendMessage' })?.action]).toEqual([204, 'SendMessage'])
    },
  )

  it('accepts faults over HTTP, and refuses other bodies', async () => {
    const queue = await serveQueue()
    const change = (method: string, body?: unknown) =>
      fetch(`${queue.endpoint}/faults`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })
    expect((await change('POST', { action: 'SendMessage', kind: 'no such thing' })).status).toBe(400)
    expect((await change('POST', { action: 'SendMessage', times: 2 })).status).toBe(204)
    await expect(queue.send('one')).rejects.toThrow('A fault that was asked for')
    expect((await change('DELETE')).status).toBe(204)
    await queue.send('two')
  })
})

describe('the storage', () => {
  it('keeps an object and gives it, with its name, to any client that has its signed URL', async () => {
    const { s3, bucket } = await serveQueue()
    const Body = Buffer.alloc(3_000_000, 'x')
    const ContentDisposition = `attachment; filename*=UTF-8''%D8%AA%D9%82%D8%B1%D9%8A%D8%B1.xlsx`
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'reports/1', Body, ContentDisposition }))
    const response = await fetch(await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'reports/1' })))
    expect(response.headers.get('content-disposition')).toBe(ContentDisposition)
    expect(Buffer.from(await response.arrayBuffer()).equals(Body)).toBe(true)
  })

  it('lets pages of any origin read an object of a signed URL, and its name', async () => {
    const { s3, bucket } = await serveQueue()
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'reports/1', Body: 'x' }))
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: 'reports/1' }))
    const { headers } = await fetch(url, { headers: { origin: 'https://app.test' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toBe('content-disposition')
  })

  it('gives nothing to a client without a signature, or with an expired one', async () => {
    const { s3, bucket, endpoint } = await serveQueue()
    const object = { Bucket: bucket, Key: 'private' }
    await s3.send(new PutObjectCommand({ ...object, Body: 'x' }))
    const expired = await getSignedUrl(s3, new GetObjectCommand(object), {
      expiresIn: 60,
      signingDate: new Date(Date.now() - 61_000),
    })
    const responses = await Promise.all([fetch(`${endpoint}/${bucket}/private`), fetch(expired)])
    expect(responses.map(({ status }) => status)).toEqual([403, 403])
    expect(await responses[1]?.text()).toContain('Request has expired')
  })

  it('lets a page ask whether it may upload, without the signature of the upload', async () => {
    const { s3, bucket } = await serveQueue()
    const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket: bucket, Key: 'a' }))
    const { status, headers } = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://app.test' } })
    expect([status, headers.get('access-control-allow-headers')]).toEqual([200, 'content-type'])
  })

  it('refuses a part with a checksum of an upload that began without one', async () => {
    const { s3, bucket } = await serveQueue()
    const object = { Bucket: bucket, Key: 'a' }
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(object))
    const part = s3.send(new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: 'x' }))
    await expect(part).rejects.toMatchObject({ name: 'InvalidRequest', $metadata: { httpStatusCode: 400 } })
  })

  it('does not say of a missing object that there is none, as to everybody who may not list the bucket', async () => {
    const { s3, bucket } = await serveQueue()
    const missing = { Bucket: bucket, Key: 'nothing' }
    for (const command of [new GetObjectCommand(missing), new HeadObjectCommand(missing)])
      await expect(s3.send(command)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })

  it('refuses a put if a fault says so', async () => {
    const { s3, bucket, faults } = await serveQueue()
    faults.add({ action: 'PUT', status: 503 })
    const put = () => s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'a' }))
    await expect(put()).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } })
    expect((await put()).$metadata.httpStatusCode).toBe(200)
  })
})
