import { SESClient, SendEmailCommand, SendRawEmailCommand, type SendRawEmailRequest } from '@aws-sdk/client-ses'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import type { Fault } from '../../infra/local/faults.ts'
import { localCredentials } from '../../infra/local/local-account.ts'
import { type Mail, startMail } from '../../infra/local/mail/mail.ts'

const createClient = ({ endpoint }: Mail) => new SESClient({ endpoint, maxAttempts: 1, ...localCredentials })

const mail = await startMail()
const client = createClient(mail)
afterAll(() => {
  client.destroy()
  return mail.stop()
})

/** The local SES as a test finds it: nothing accepted yet, no fault to come. */
function serveMail(served = { mail, client }) {
  const { mail, client } = served
  mail.faults.clear()
  const before = mail.envelopes().length
  const send = async (message: string | Buffer, request: Omit<SendRawEmailRequest, 'RawMessage'> = {}) => {
    const { MessageId } = await client.send(
      new SendRawEmailCommand({ ...request, RawMessage: { Data: Buffer.from(message) } }),
    )
    return MessageId
  }
  return { ...mail, client, send, envelopes: () => mail.envelopes().slice(before) }
}

const message = (headers: Readonly<Record<string, string>> = {}, body = 'Hello') => {
  const all = { From: 'reports@example.com', To: 'ann@example.com', Subject: 'Report', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${lines.join('')}\r\n${body}\r\n`
}

const to = (...Destinations: readonly string[]) => ({ Source: 'reports@example.com', Destinations: [...Destinations] })

const store = z.object({
  emails: z.array(
    z.object({ messageId: z.string(), subject: z.string(), destination: z.object({ to: z.array(z.string()) }) }),
  ),
})

const readMail = async (mailboxUrl: string, messageId: string | undefined) => {
  const { emails } = store.parse(await (await fetch(`${mailboxUrl}/store`)).json())
  return emails.filter((mail) => mail.messageId === messageId)
}

describe('a mail that is accepted', () => {
  it('is in the mailbox under the id that the sender got', async () => {
    const { send, mailboxUrl } = serveMail()
    const id = await send(message({ Subject: '=?UTF-8?B?2KrZgtix2YrYsQ==?=' }), to('ann@example.com'))
    const expected = [{ messageId: id, subject: 'تقرير', destination: { to: ['ann@example.com'] } }]
    expect(await readMail(mailboxUrl, id)).toEqual(expected)
    expect(await (await fetch(mailboxUrl)).text()).toContain('<html')
  })

  it('is in the mailbox, with its time, though nobody has opened that before', async () => {
    const mail = await startMail()
    onTestFinished(mail.stop)
    const { send, mailboxUrl, envelopes } = serveMail({ mail, client: createClient(mail) })
    const early = [await send(message()), await send(message())]
    const list = z.object({ emails: z.array(z.object({ messageId: z.string(), at: z.number() })) })
    const read = async () => list.parse(await (await fetch(`${mailboxUrl}/store`)).json()).emails
    const expected = envelopes().map(({ messageId, acceptedAt }) => ({
      messageId,
      at: Math.floor(Date.parse(acceptedAt) / 1000),
    }))
    expect(await read()).toEqual(expected)
    expect((await read()).map(({ messageId }) => messageId)).toEqual(early)
    const late = await send(message())
    expect((await read()).map(({ messageId }) => messageId)).toEqual([...early, late])
  })

  it('keeps its envelope and its message as they were sent', async () => {
    const { send, envelopes } = serveMail()
    const Tags = [{ Name: 'job', Value: '7' }]
    const raw = message()
    const id = await send(raw, { ...to('bob@example.com'), Tags, ConfigurationSetName: 'reports' })
    expect(envelopes()).toMatchObject([
      {
        messageId: id,
        source: 'reports@example.com',
        destinations: ['bob@example.com'],
        tags: { job: '7' },
        configurationSet: 'reports',
        size: raw.length,
        raw: Buffer.from(raw),
      },
    ])
  })

  it('is shown with its actual recipients, and no others', async () => {
    const { send, mailboxUrl } = serveMail()
    const id = await send(message({ Cc: 'cee@example.com,\r\n dee@example.com' }), to('x@example.com', 'y@example.com'))
    const [mail] = await readMail(mailboxUrl, id)
    expect(mail?.destination).toMatchObject({ to: ['x@example.com, y@example.com'] })
  })

  it('goes to the recipients of its header if the request names none', async () => {
    const { send, envelopes } = serveMail()
    await send(message({ To: 'Ann <ann@example.com>', Bcc: 'bob@example.com' }))
    expect(envelopes()[0]?.destinations).toEqual(['ann@example.com', 'bob@example.com'])
  })

  it('can be listed and read over HTTP', async () => {
    const { send, endpoint } = serveMail()
    const raw = message()
    const id = await send(raw, to('ann@example.com'))
    const list = z.array(z.object({ messageId: z.string() })).parse(await (await fetch(`${endpoint}/envelopes`)).json())
    expect(list.at(-1)).toEqual({ messageId: id })
    expect(await (await fetch(`${endpoint}/envelopes/${id}.eml`)).text()).toBe(raw)
  })
})

it('keeps the newest mails up to the size that it is given', async () => {
  const small = await startMail({ maxKeptBytes: 2_000 })
  const client = createClient(small)
  const send = (subject: string) => {
    const text = `From: a@example.com\r\nTo: b@example.com\r\nSubject: ${subject}\r\n\r\n${'x'.repeat(900)}`
    return client.send(new SendRawEmailCommand({ RawMessage: { Data: Buffer.from(text) } }))
  }
  try {
    for (const subject of ['one', 'two', 'three']) await send(subject)
    const subjects = small.envelopes().map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1])
    expect(subjects).toEqual(['two', 'three'])
  } finally {
    client.destroy()
    await small.stop()
  }
})

describe('what SES does not take', () => {
  const largest = 10 * 1024 * 1024
  const createMail = (size: number) => message({}, 'x'.repeat(size - message({}, '').length))

  it('is a message of more than 10 MB, and no smaller one', async () => {
    const mail = await startMail()
    onTestFinished(mail.stop)
    const { send, envelopes } = serveMail({ mail, client: createClient(mail) })
    await send(createMail(largest), to('ann@example.com'))
    const larger = send(createMail(largest + 1), to('ann@example.com'))
    await expect(larger).rejects.toMatchObject({ name: 'InvalidParameterValue', message: /more than 10485760 bytes/ })
    expect(envelopes().map(({ size }) => size)).toEqual([largest])
  })

  it('is a message to more than 50 recipients', async () => {
    const { send } = serveMail()
    const many = Array.from({ length: 51 }, (_, at) => `r${at}@example.com`)
    await send(message(), to(...many.slice(1)))
    const refused = send(message(), to(...many))
    await expect(refused).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: 'Recipient count exceeds 50.',
    })
  })

  it.each([
    'ann',
    'ann@',
    '@example.com',
    'ann@localhost',
    'ann@.example.com',
    'ann@example..com',
    'ann@exa_mple.com',
    'ann.@example.com',
    'an n@example.com',
    'änn@example.com',
    'ann@example.com, bob@example.com',
    'ann@example.com\r\nBcc: eve@example.com',
    'ann@example.com\n',
    '',
  ])('is the address %j', async (address) => {
    const { send, envelopes } = serveMail()
    await expect(send(message(), to(address))).rejects.toMatchObject({ name: 'InvalidParameterValue' })
    expect(envelopes()).toEqual([])
  })

  it.each<[string, string]>([
    [`Subject: again\r\n${message()}`, "Duplicate header 'Subject'."],
    ['To: ann@example.com\r\n\r\nHello', "Missing required header 'From'."],
    ['From: reports@example.com\r\n\r\nHello', "Missing required header 'To'."],
  ])('is the message %j', async (raw, text) => {
    const { send } = serveMail()
    await expect(send(raw)).rejects.toMatchObject({ name: 'InvalidParameterValue', message: text })
  })

  it('is another action', async () => {
    const { client } = serveMail()
    const simple = { Subject: { Data: 's' }, Body: { Text: { Data: 't' } } }
    const other = new SendEmailCommand({ Source: 'a@example.com', Destination: {}, Message: simple })
    await expect(client.send(other)).rejects.toMatchObject({ name: 'InvalidAction' })
  })

  it('is a request without a signature', async () => {
    const { endpoint } = serveMail()
    const response = await fetch(endpoint, { method: 'POST', body: 'Action=SendRawEmail' })
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('MissingAuthenticationToken'),
    ])
  })
})

describe('the local SES fails as configured', () => {
  it.each<[string, Fault, unknown, number]>([
    ['throttles', { code: 'Throttling', status: 400 }, { name: 'Throttling' }, 0],
    ['rejects', { code: 'MessageRejected', message: 'Email address is not verified.' }, { name: 'MessageRejected' }, 0],
    ['hangs up before', { kind: 'reset' }, { code: 'ECONNRESET' }, 0],
    ['hangs up after', { kind: 'reset', when: 'after' }, { code: 'ECONNRESET' }, 1],
    ['is broken after', { code: 'InternalFailure', status: 500, when: 'after' }, { name: 'InternalFailure' }, 1],
  ])('%s', async (_what, fault, error, accepted) => {
    const { send, faults, envelopes } = serveMail()
    faults.add(fault)
    await expect(send(message(), to('ann@example.com'))).rejects.toMatchObject(error as object)
    expect(envelopes()).toHaveLength(accepted)
    await send(message(), to('ann@example.com'))
    expect(envelopes()).toHaveLength(accepted + 1)
  })

  it('fails for one recipient only', async () => {
    const { send, faults } = serveMail()
    faults.add({ code: 'MessageRejected', recipient: 'bob@example.com', times: 2 })
    await send(message(), to('ann@example.com'))
    await expect(send(message(), to('Bob <BOB@example.com>'))).rejects.toMatchObject({ name: 'MessageRejected' })
  })

  it('sends no response until the client gives up', async () => {
    const { client, faults, envelopes } = serveMail()
    faults.add({ kind: 'hang', when: 'after' })
    const sent = new SendRawEmailCommand({ ...to('ann@example.com'), RawMessage: { Data: Buffer.from(message()) } })
    await expect(client.send(sent, { abortSignal: AbortSignal.timeout(1_000) })).rejects.toThrow()
    expect(envelopes()).toHaveLength(1)
  })

  it('over HTTP, until the fault is removed', async () => {
    const { send, endpoint } = serveMail()
    const body = JSON.stringify([{ code: 'Throttling', times: 9 }])
    expect((await fetch(`${endpoint}/faults`, { method: 'POST', body })).status).toBe(204)
    await expect(send(message(), to('ann@example.com'))).rejects.toMatchObject({ name: 'Throttling' })
    expect((await fetch(`${endpoint}/faults`, { method: 'DELETE' })).status).toBe(204)
    await send(message(), to('ann@example.com'))
  })
})
