import { createServer } from 'node:net'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Fault } from '../../../infra/local/faults.ts'
import { sendMail } from '../../../lib/mail/send-mail.ts'
import { recordLog } from '../../support/log/recorded-log.ts'
import { bindPort } from '../../support/network/bind-port.ts'
import { sender, startTestMail } from './mail-environment.ts'

const mail = await startTestMail()
afterAll(() => mail.stop())
beforeEach(() => {
  mail.faults.clear()
  process.env['AWS_ENDPOINT_URL_SES'] = mail.endpoint
})

const config = { MAIL_SENDER: sender, MAIL_CONFIGURATION_SET: 'reports' }
const to = 'nora@example.com'
const raw = Buffer.from(`From: reports@example.com\r\nTo: ${to}\r\nSubject: x\r\n\r\nx\r\n`)
const jobId = '1f0e5b6c-3f6a-4b7e-8d8e-2f9f6d6f0a11'

/** With a client of its own, so that it asks the endpoint that the environment names now. */
const send = () => sendMail({ ...config }, raw, to, jobId)

async function sendDespite(fault: Fault) {
  const before = mail.envelopes().length
  mail.faults.add(fault)
  const outcome = await send()
  return { outcome, accepted: mail.envelopes().length - before }
}

describe('a mail that SES accepts', () => {
  it('is sent once, with the id that SES gave it, the configuration set and the tag of its job', async () => {
    const outcome = await send()
    const envelope = mail.envelopes().at(-1)
    expect(outcome).toEqual({ outcome: 'sent', messageId: envelope?.messageId })
    expect(envelope).toMatchObject({
      source: 'reports@example.com',
      destinations: [to],
      configurationSet: 'reports',
      tags: { job_id: jobId },
    })
    expect(envelope?.raw.equals(raw)).toBe(true)
  })

  it('needs neither configuration set nor job', async () => {
    const outcome = await sendMail({ MAIL_SENDER: sender, MAIL_CONFIGURATION_SET: undefined }, raw, to)
    expect(outcome.outcome).toBe('sent')
    expect(mail.envelopes().at(-1)).toMatchObject({ source: 'reports@example.com', tags: {} })
    expect(mail.envelopes().at(-1)).not.toHaveProperty('configurationSet')
  })

  it('may be slow', async () => {
    expect(await sendDespite({ kind: 'delay', delayMs: 3_000 })).toMatchObject({
      outcome: { outcome: 'sent' },
      accepted: 1,
    })
  })
})

describe('a mail that SES asks to send later', () => {
  it.each([
    ['Throttling', 'Maximum sending rate exceeded.', 400, 1, 10],
    ['Throttling', 'Daily message quota exceeded.', 400, 3_600, 3_600],
    ['ThrottlingException', 'Rate exceeded', 400, 1, 10],
    ['TooManyRequestsException', 'slow down', 429, 1, 10],
    ['ServiceUnavailable', 'The request has failed due to a temporary failure of the server.', 503, 1, 10],
    ['RequestTimeout', 'Your socket connection was not read from', 408, 1, 10],
    ['ExpiredToken', 'The security token included in the request is expired', 403, 300, 300],
    ['AccessDenied', 'not authorized to perform ses:SendRawEmail', 403, 300, 300],
  ])('was not sent: %s: %s', async (code, message, status, least, most) => {
    const { outcome, accepted } = await sendDespite({ code, message, status })
    expect(accepted).toBe(0)
    expect(outcome).toMatchObject({ outcome: 'later', code })
    const { afterSeconds } = outcome as { afterSeconds: number }
    expect(afterSeconds).toBeGreaterThanOrEqual(least)
    expect(afterSeconds).toBeLessThanOrEqual(most)
  })
})

describe('a mail that SES does not want is refused for good', () => {
  it.each([
    ['MessageRejected', 'Email address is not verified.', 'MessageRejected'],
    ['MailFromDomainNotVerifiedException', 'x', 'MailFromDomainNotVerifiedException'],
    ['AccountSendingPausedException', 'x', 'AccountSendingPausedException'],
    ['ConfigurationSetDoesNotExist', 'x', 'ConfigurationSetDoesNotExistException'],
    ['ConfigurationSetSendingPausedException', 'x', 'ConfigurationSetSendingPausedException'],
    ['InvalidParameterValue', 'Local address contains control or whitespace', 'InvalidParameterValue'],
    ['SomethingNew', 'x', 'SomethingNew'],
  ])('%s', async (code, message, failure) => {
    const { outcome, accepted } = await sendDespite({ code, message, status: 400 })
    expect(accepted).toBe(0)
    expect(outcome).toEqual({
      outcome: 'refused',
      code: expect.stringContaining(failure.slice(0, 20)),
    })
  })
})

describe('a mail that may or may not have been sent is not sent a second time', () => {
  it.each<[string, Fault, number]>([
    ['a reset before SES accepted it', { kind: 'reset', when: 'before', times: 5 }, 0],
    ['a reset after SES accepted it', { kind: 'reset', when: 'after', times: 5 }, 1],
    ['a fault inside of SES before', { code: 'InternalFailure', status: 500, when: 'before', times: 5 }, 0],
    ['a fault inside of SES after', { code: 'InternalFailure', status: 500, when: 'after', times: 5 }, 1],
    ['a gateway that gave up', { code: 'GatewayTimeout', status: 504, when: 'after', times: 5 }, 1],
  ])('%s', async (_name, fault, expected) => {
    const { outcome, accepted } = await sendDespite(fault)
    expect(outcome).toEqual({ outcome: 'unknown', code: expect.any(String) })
    expect(accepted).toBe(expected)
  })

  it('a response that does not come within 25 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const before = mail.envelopes().length
    const sending = sendDespite({ kind: 'hang', when: 'after' })
    await expect.poll(() => mail.envelopes().length).toBe(before + 1)
    vi.advanceTimersByTime(25_000)
    expect(await sending).toEqual({ outcome: { outcome: 'unknown', code: 'ETIMEDOUT' }, accepted: 1 })
  })

  it('a response that is none', async () => {
    const server = createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n<a><')),
    )
    process.env['AWS_ENDPOINT_URL_SES'] = `http://127.0.0.1:${await bindPort(server)}`
    const outcome = await send()
    server.close()
    expect(outcome.outcome).toBe('unknown')
  })
})

describe('a mail that never left was certainly not sent', () => {
  it.each([
    ['refused', 'http://127.0.0.1:1', 'ECONNREFUSED'],
    ['without a name', 'http://ses.invalid:80', expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/)],
  ])('its connection %s', async (_name, endpoint, code) => {
    process.env['AWS_ENDPOINT_URL_SES'] = endpoint
    expect(await send()).toEqual({ outcome: 'later', code, afterSeconds: expect.any(Number) })
  })

  it('its host not answering', async () => {
    // An address of a network reserved for documentation: packets to it are dropped or refused, never answered.
    process.env['AWS_ENDPOINT_URL_SES'] = 'http://192.0.2.1:80'
    expect(await send()).toMatchObject({ outcome: 'later' })
  })
})

describe('sending', () => {
  it('names the setting if there is no sender', async () => {
    await expect(sendMail({ MAIL_SENDER: undefined, MAIL_CONFIGURATION_SET: undefined }, raw, to)).rejects.toThrow(
      'The setting MAIL_SENDER is missing',
    )
  })

  it('writes no address to any log', async () => {
    const log = recordLog()
    const outcomes = [
      await sendDespite({ code: 'MessageRejected', message: `Address ${to} is not verified` }),
      await sendDespite({ kind: 'reset' }),
      await sendDespite({ code: 'InternalFailure', message: to, status: 500 }),
    ]
    log.restore()
    expect(`${JSON.stringify(outcomes)}${log.text()}`).not.toContain(to)
  })
})
