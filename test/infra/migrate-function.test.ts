import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import postgres, { type Sql } from 'postgres'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { bundleFunctions } from '../../infra/bundle.ts'
import { loadConfig } from '../../lib/config.ts'
import { type DeploymentHandler, migrateDatabase, readMigrations } from '../../lib/index.ts'
import { migrationFolder } from '../lib/db/migration-folder.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { startDeployment } from '../support/deployment.ts'

const ours = readMigrations(new URL('../../tables/migrations/', import.meta.url))
const folder = (files: Readonly<Record<string, string>>) => readMigrations(migrationFolder(files))

let database: TestDatabase
let sql: Sql
let environment: Readonly<Record<string, string>>

beforeEach(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  const service = new URL(database.url)
  service.username = `service_${randomUUID().replaceAll('-', '')}`
  service.password = 'service'
  environment = {
    ...{ DATABASE_URL: database.url, DATABASE_SERVICE_URL: service.href, DATABASE_TLS: 'off', LOG_LEVEL: 'silent' },
    SERVICE_SECRET: 'of no use to this function, which signs nothing',
    ...{
      JWT_ISSUER: 'https://issuer.example.test',
      JWT_AUDIENCE: 'test',
      JWKS_URL: 'https://issuer.example.test/keys',
    },
  }
})
afterEach(async () => {
  await sql.end({ timeout: 5 })
  await database.drop()
})

const handlerOf = (migrations = ours, changed: Readonly<Record<string, string>> = {}) =>
  migrateDatabase(migrations, () => loadConfig({ ...environment, ...changed }))

const propertiesOf = ({ hash, migrations } = ours, Secrets = '1') => ({
  ...{ ServiceToken: 'arn', Migrations: hash, Latest: String(migrations.at(-1)?.createdAt), Secrets },
})

const create = (migrations = ours) => ({ RequestType: 'Create', ResourceProperties: propertiesOf(migrations) })
const update = (to: object, from: object) => ({
  ...{ RequestType: 'Update', PhysicalResourceId: 'Migrations', ResourceProperties: to, OldResourceProperties: from },
})

const schemas = async () => (await sql`select nspname from pg_namespace where nspname = 'table_control'`).length

describe('the step of a deployment', () => {
  it('makes the tables and the role that the functions log in by', async () => {
    const deployment = await startDeployment()
    expect(await deployment.send(handlerOf(), create())).toEqual({
      Status: 'SUCCESS',
      PhysicalResourceId: 'Migrations',
    })
    const functions = postgres(environment['DATABASE_SERVICE_URL'] ?? '', { max: 1 })
    expect(await functions`select from flights, table_control.jobs`).toHaveLength(0)
    await functions.end()
  })

  it('keeps its id, so that nothing is ever deleted in its place', async () => {
    const deployment = await startDeployment()
    const { PhysicalResourceId } = await deployment.send(handlerOf(), create())
    const one = folder({ '0000_one.sql': '' })
    const changed = update(propertiesOf(one), propertiesOf(folder({})))
    expect(await deployment.send(handlerOf(one), changed)).toEqual({ Status: 'SUCCESS', PhysicalResourceId })
  })

  it.each([
    [
      'a migration',
      { '0000_bad.sql': 'select 1;\nboom' },
      {},
      '0000_bad.sql, line 2: syntax error at or near "boom" (42601)',
    ],
    ['a missing setting', {}, { DATABASE_SERVICE_URL: '' }, 'DATABASE_SERVICE_URL is missing'],
    ['a wrong setting', {}, { DATABASE_URL: 'mysql://x' }, 'The environment is not complete:\n  DATABASE_URL'],
    ['a database that is not there', {}, { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/none' }, 'ECONNREFUSED'],
    ['a database that is not verified', {}, { DATABASE_TLS: 'verify' }, 'the database server does not offer TLS'],
  ])('fails the deployment by %s, and says why', async (_what, files, changed, reason) => {
    const migrations = folder(files)
    const deployment = await startDeployment()
    const answer = await deployment.send(handlerOf(migrations, changed), create(migrations))
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(reason) })
    expect(answer.Reason).not.toContain(new URL(database.url).password)
  })

  it('fails the deployment where the functions could not log in', async () => {
    await sql.unsafe(`revoke connect on database "${new URL(database.url).pathname.slice(1)}" from public`)
    const deployment = await startDeployment()
    expect(await deployment.send(handlerOf(), create())).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringMatching(/^permission denied for database/),
    })
  })

  it('fails the deployment before its own time is over', async () => {
    const slow = folder({ '0000_slow.sql': 'select pg_sleep(60)' })
    const deployment = await startDeployment({ remainingMs: 15_500 })
    expect(await deployment.send(handlerOf(slow), create(slow))).toMatchObject({
      Status: 'FAILED',
      Reason: '0000_slow.sql, line 1: canceling statement due to statement timeout (57014)',
    })
  })

  it('does nothing when the stack is taken down, whatever the state of the database', async () => {
    const deployment = await startDeployment()
    const gone = { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/none' }
    const event = { ...create(), RequestType: 'Delete', PhysicalResourceId: 'Migrations' }
    expect(await deployment.send(handlerOf(ours, gone), event)).toMatchObject({ Status: 'SUCCESS' })
  })

  it.each([
    ['asked of the later code', propertiesOf(folderWith('before')), propertiesOf(), ours],
    ['asked of the former code', propertiesOf(), propertiesOf(folderWith('later')), ours],
    ['of a changed secret', propertiesOf(ours, '1'), propertiesOf(ours, '2'), ours],
  ])('does nothing in a rollback %s', async (_what, to, from, code) => {
    const deployment = await startDeployment()
    expect(await deployment.send(handlerOf(code), update(to, from))).toMatchObject({ Status: 'SUCCESS' })
    expect(await schemas()).toBe(0)
  })

  it('refuses what CloudFormation does not send', async () => {
    await expect(handlerOf()({}, { getRemainingTimeInMillis: () => 60_000 })).rejects.toThrow()
  })
})

/** Another version's folder: one migration of the year 1970, or of a later one than any of ours. */
function folderWith(when: 'before' | 'later') {
  const createdAt = when === 'before' ? 1 : Number.MAX_SAFE_INTEGER
  return { hash: when, migrations: [{ file: '0000_other.sql', createdAt, hash: when, text: '' }] }
}

describe('the bundle of migrate', () => {
  const bundled = z.object({ handler: z.custom<DeploymentHandler>((value) => typeof value === 'function') })

  it('brings the migrations along in one file', async () => {
    const outdir = await mkdtemp(join(tmpdir(), 'table-control-migrate-'))
    onTestFinished(() => rm(outdir, { recursive: true, force: true }))
    const [{ file } = { file: '' }] = await bundleFunctions({ outdir, functions: ['migrate'] })
    expect((await readdir(dirname(file))).some((name) => name.endsWith('.sql'))).toBe(false)
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { handler } = bundled.parse(await import(pathToFileURL(file).href))
    const deployment = await startDeployment()
    expect(await deployment.send(handler, create())).toMatchObject({ Status: 'SUCCESS' })
    expect(await schemas()).toBe(1)
  })
})
