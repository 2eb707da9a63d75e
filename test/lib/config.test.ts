import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../lib/config.ts'

const complete = {
  DATABASE_URL: 'postgres://service@db.example.test/tables',
  SERVICE_SECRET: 'a secret of more than thirty-two characters',
  JWT_ISSUER: 'https://issuer.example.test',
  JWT_AUDIENCE: 'tables, reports',
  JWKS_URL: 'https://issuer.example.test/jwks.json',
}

describe('a complete environment', () => {
  it('leaves everything else at its default', () => {
    expect(loadConfig(complete)).toMatchObject({
      GUARDS: ['api', 'web'],
      ACTION_URLS: 'absolute',
      ITEM_ACTIONS: 'both',
      ADVANCED_FILTERS: 'repeated',
      TIME_ZONE: 'UTC',
      ALLOWED_ORIGINS: [],
      DATABASE_CONNECTIONS: 1,
      DATABASE_TLS: 'verify',
      REQUEST_DEADLINE_MS: 25_000,
      LOG_LEVEL: 'info',
      LOG_MESSAGES: 'safe',
      METRICS_NAMESPACE: 'TableControl',
      JWT_AUDIENCE: ['tables', 'reports'],
    })
  })

  it('reads lists, numbers and addresses', () => {
    const read = loadConfig({
      ...complete,
      GUARDS: ' api , mobile',
      DATABASE_CONNECTIONS: '8',
      PUBLIC_URL: 'https://tables.example.test//',
      TIME_ZONE: 'Asia/Riyadh',
      DATABASE_TLS_CA: '',
    })
    expect(read).toMatchObject({ GUARDS: ['api', 'mobile'], DATABASE_CONNECTIONS: 8, TIME_ZONE: 'Asia/Riyadh' })
    expect(read.PUBLIC_URL).toBe('https://tables.example.test')
    expect(read.DATABASE_TLS_CA).toBeUndefined()
  })

  it.each([['*'], ['https://app.example.test,http://localhost:5173']])('takes origins: %s', (origins) => {
    expect(loadConfig({ ...complete, ALLOWED_ORIGINS: origins }).ALLOWED_ORIGINS).toEqual(origins.split(','))
  })

  it('takes a Cognito user pool instead of another issuer', () => {
    const rest = { DATABASE_URL: complete.DATABASE_URL, SERVICE_SECRET: complete.SERVICE_SECRET }
    const pool = { COGNITO_USER_POOL_ID: 'eu-central-1_example', COGNITO_CLIENT_ID: 'web,mobile' }
    expect(loadConfig({ ...rest, ...pool }).COGNITO_CLIENT_ID).toEqual(['web', 'mobile'])
  })
})

describe('an environment with mistakes', () => {
  it.each([
    ['DATABASE_URL', { DATABASE_URL: undefined }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://db' }],
    ['SERVICE_SECRET', { SERVICE_SECRET: 'short' }],
    ['PUBLIC_URL', { MAIL_SENDER: 'reports@example.test', ACTION_URLS: 'relative' }],
    ['MAIL_SENDER', { MAIL_SENDER: 'Reports' }],
    ['MAIL_SENDER', { MAIL_SENDER: 'Reports <reports@>' }],
    ['MAIL_SENDER', { MAIL_SENDER: 'Reports <a@example.test> and others' }],
    ['MAIL_SENDER', { MAIL_SENDER: 'a@example.test, b@example.test' }],
    ['MAIL_SENDER', { MAIL_SENDER: 'Reports\r\nBcc: x <a@example.test>' }],
    ['MAIL_SENDER', { MAIL_SENDER: 'reports@مثال.sa' }],
    ['GUARDS', { GUARDS: 'Api' }],
    ['GUARDS', { GUARDS: 'api,api' }],
    ['GUARDS', { GUARDS: ',' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'tables' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'https://*' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'https://*.example.test' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'https://app.example.test/' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'app.example.test' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: 'null' }],
    ['ALLOWED_ORIGINS', { ALLOWED_ORIGINS: '*,https://app.example.test' }],
    ['ACTION_URLS', { ACTION_URLS: 'both' }],
    ['TIME_ZONE', { TIME_ZONE: 'Mars/Olympus' }],
    ['TIME_ZONE', { TIME_ZONE: 'IST' }],
    ['TIME_ZONE', { TIME_ZONE: '+03:00' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'verbose' }],
    ['METRICS_NAMESPACE', { METRICS_NAMESPACE: 'of all tables' }],
    ['DATABASE_CONNECTIONS', { DATABASE_CONNECTIONS: '0' }],
    ['DATABASE_CONNECTIONS', { DATABASE_CONNECTIONS: '0x10' }],
    ['REQUEST_DEADLINE_MS', { REQUEST_DEADLINE_MS: '30000' }],
    ['JWT_ISSUER', { JWT_ISSUER: '' }],
    ['JWT_ISSUER', { JWT_AUDIENCE: '' }],
    ['JWT_ISSUER', { JWKS_URL: '' }],
    ['COGNITO_CLIENT_ID', { COGNITO_USER_POOL_ID: 'eu-central-1_example' }],
  ])('names %s: %j', (name, changed) => {
    expect(() => loadConfig({ ...complete, ...changed })).toThrow(new RegExp(`missing or wrong:.*${name}.*: .`, 's'))
  })

  it('names all of them at once, and repeats no value', () => {
    const load = () =>
      loadConfig({ ...complete, SERVICE_SECRET: 'hunter2', DATABASE_TLS: 'hunter2', TIME_ZONE: 'hunter2' })
    expect(load).toThrow(/SERVICE_SECRET.*DATABASE_TLS|DATABASE_TLS.*SERVICE_SECRET/s)
    expect(load).not.toThrow(/hunter2/)
  })
})

it('reads the settings that lib/README.md lists, and no others', () => {
  const read = (file: string) => readFileSync(new URL(`../../lib/${file}`, import.meta.url), 'utf8')
  const declared = [...read('config.ts').matchAll(/^ {4}([A-Z][A-Z_]+): /gm)].map(([, name]) => name)
  const [, settings = ''] = /\n## Settings\n(.*?)\n## /s.exec(read('README.md')) ?? []
  const rows = [...settings.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) +\|/gm)]
  const listed = rows.flatMap(([, names = '']) => names.replaceAll('`', '').split(', '))
  expect(listed.toSorted()).toEqual(declared.toSorted())
})
