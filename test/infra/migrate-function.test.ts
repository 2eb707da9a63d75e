import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import postgres, { type Sql } from 'postgres'
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { bundleFunctions } from '../../infra/bundle/bundle.ts'
import { loadConfig } from '../../lib/config.ts'
import { type DeploymentHandler, migrateDatabase, readMigrations } from '../../lib/index.ts'
import { migrationFolder } from '../lib/db/migration-folder.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'
import { waitFor } from '../support/run/patience.ts'
import { startDeployment, trustDeployments } from './deployment.ts'

const ours = readMigrations(new URL('../../tables/migrations/', import.meta.url))
const folder = (files: Readonly<Record<string, string>>, made?: readonly number[]) =>
  readMigrations(migrationFolder(files, made))

afterAll(trustDeployments())

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
    DATABASE_URL: database.url,
    DATABASE_SERVICE_URL: service.href,
    DATABASE_TLS: 'off',
    LOG_LEVEL: 'silent',
    SERVICE_SECRET: 'of no use to this function, which signs nothing',
    JWT_ISSUER: 'https://issuer.example.test',
    JWT_AUDIENCE: 'test',
    JWKS_URL: 'https://issuer.example.test/keys',
  }
})
afterEach(async () => {
  await sql.end({ timeout: 5 })
  await database.drop()
})

const createHandler = (migrations = ours, changed: Readonly<Record<string, string>> = {}) =>
  migrateDatabase(migrations, () => loadConfig({ ...environment, ...changed }), 0)

const listProperties = ({ hash } = ours, Secrets = '1') => ({ ServiceToken: 'arn', Migrations: hash, Secrets })

const create = (migrations = ours) => ({ RequestType: 'Create', ResourceProperties: listProperties(migrations) })
const update = (to: object, from: object) => ({
  RequestType: 'Update',
  PhysicalResourceId: 'Migrations',
  ResourceProperties: to,
  OldResourceProperties: from,
})

const schemas = async () => (await sql`select nspname from pg_namespace where nspname = 'table_control'`).length

describe('the step of a deployment', () => {
  it('makes the tables and the role that the functions log in by', async () => {
    const deployment = await startDeployment()
    expect(await deployment.send(createHandler(), create())).toEqual({
      Status: 'SUCCESS',
      PhysicalResourceId: 'Migrations',
    })
    const functions = postgres(environment['DATABASE_SERVICE_URL'] ?? '', { max: 1 })
    expect(await functions`select from flights, table_control.jobs`).toHaveLength(0)
    await functions.end()
  })

  it('keeps its id, so that nothing is ever deleted in its place', async () => {
    const deployment = await startDeployment()
    const { PhysicalResourceId } = await deployment.send(createHandler(), create())
    const one = folder({ '0000_one.sql': '' })
    const changed = update(listProperties(one), listProperties(folder({})))
    expect(await deployment.send(createHandler(one), changed)).toEqual({ Status: 'SUCCESS', PhysicalResourceId })
  })

  it.each([
    [
      'a migration',
      { '0000_bad.sql': 'select 1;\nboom' },
      {},
      '0000_bad.sql, line 2: syntax error at or near "boom" (42601)',
    ],
    ['a missing setting', {}, { DATABASE_SERVICE_URL: '' }, 'DATABASE_SERVICE_URL is missing'],
    ['a wrong setting', {}, { DATABASE_URL: 'mysql://x' }, 'Settings are missing or wrong:\n  DATABASE_URL'],
    ['a database that is not there', {}, { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/none' }, 'ECONNREFUSED'],
    ['a database that is not verified', {}, { DATABASE_TLS: 'verify' }, 'the database server does not offer TLS'],
  ])('fails the deployment by %s, and says why', async (_what, files, changed, reason) => {
    const migrations = folder(files)
    const deployment = await startDeployment()
    const response = await deployment.send(createHandler(migrations, changed), create(migrations))
    expect(response).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(reason) })
    expect(response.Reason).not.toContain(new URL(database.url).password)
  })

  it('waits for a database that is announced before it lets anybody in', async () => {
    const deployment = await startDeployment()
    const proxy = await startTcpProxy({ target: database.url })
    onTestFinished(proxy.close)
    proxy.treat('close')
    const patient = migrateDatabase(ours, () => loadConfig({ ...environment, DATABASE_URL: proxy.url() }))
    const response = deployment.send(patient, create())
    await waitFor(() => expect(proxy.connections()).toBeGreaterThan(0))
    proxy.treat('forward')
    expect(await response).toMatchObject({ Status: 'SUCCESS' })
  })

  it('fails the deployment of more connections than the database takes, before anything is changed', async () => {
    const deployment = await startDeployment()
    const [{ most } = { most: 0 }] = await sql<
      [{ most: number }]
    >`select current_setting('max_connections')::int as most`
    const createProperties = (connections: number) => ({ ...listProperties(), Connections: String(connections) })
    const tooMany = await deployment.send(createHandler(), {
      ...create(),
      ResourceProperties: createProperties(most - 19),
    })
    expect(tooMany).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringContaining(`takes ${most} connections, and database.connections needs ${most + 1}`),
    })
    expect(await schemas()).toBe(0)
    const fitting = await deployment.send(createHandler(), {
      ...create(),
      ResourceProperties: createProperties(most - 20),
    })
    expect(fitting).toMatchObject({ Status: 'SUCCESS' })
    // The same number of connections as before is never refused: a rollback sends it as well.
    const unchanged = update(createProperties(most), createProperties(most))
    expect(await deployment.send(createHandler(), unchanged)).toMatchObject({ Status: 'SUCCESS' })
  })

  it('fails the deployment where the functions could not log in', async () => {
    await sql.unsafe(`revoke connect on database "${new URL(database.url).pathname.slice(1)}" from public`)
    const deployment = await startDeployment()
    expect(await deployment.send(createHandler(), create())).toMatchObject({
      Status: 'FAILED',
      Reason: expect.stringMatching(/^permission denied for database/),
    })
  })

  it('fails the deployment before its own time is over', async () => {
    const slow = folder({ '0000_slow.sql': 'select pg_sleep(60)' })
    const deployment = await startDeployment({ remainingMs: 18_000 })
    expect(await deployment.send(createHandler(slow), create(slow))).toMatchObject({
      Status: 'FAILED',
      Reason: '0000_slow.sql, line 1: canceling statement due to statement timeout (57014)',
    })
  })

  it('does nothing when the stack is taken down, regardless of the state of the database', async () => {
    const deployment = await startDeployment()
    const gone = { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/none' }
    const event = { ...create(), RequestType: 'Delete', PhysicalResourceId: 'Migrations' }
    expect(await deployment.send(createHandler(ours, gone), event)).toMatchObject({ Status: 'SUCCESS' })
  })

  it('does nothing in a rollback asked of the later code', async () => {
    const deployment = await startDeployment()
    const back = update(listProperties(folderWith('before')), listProperties())
    expect(await deployment.send(createHandler(), back)).toMatchObject({ Status: 'SUCCESS' })
    expect(await schemas()).toBe(0)
  })

  it.each([
    ['to an earlier folder', listProperties(), listProperties(folderWith('later'))],
    ['to an earlier revision of the secrets', listProperties(ours, '1'), listProperties(ours, '2')],
  ])('gives the role its rights and its password on the way back %s, and migrates nothing', async (_what, to, from) => {
    const deployment = await startDeployment()
    await deployment.send(createHandler(), create())
    const service = new URL(environment['DATABASE_SERVICE_URL'] ?? '')
    await sql.unsafe(`revoke all on flights from ${service.username}`)
    const before = await sql`select * from drizzle.__drizzle_migrations order by id`
    service.password = 'the former one'
    const changed = { DATABASE_SERVICE_URL: service.href }
    expect(await deployment.send(createHandler(ours, changed), update(to, from))).toMatchObject({ Status: 'SUCCESS' })
    expect(await sql`select * from drizzle.__drizzle_migrations order by id`).toEqual(before)
    const functions = postgres(service.href, { max: 1 })
    expect(await functions`select from flights`).toHaveLength(0)
    await functions.end()
  })

  describe('from a branch to main, which has an earlier migration of its own,', () => {
    const first = { '0000_one.sql': 'create table one (id int)' }
    const branchFiles = { ...first, '0001_a.sql': 'create table a ()', '0002_b.sql': 'create table b ()' }
    const fromBranchTo = async (mine: string) => {
      const branch = folder(branchFiles, [1_000, 1_010, 1_020])
      const main = folder({ ...first, '0001_mine.sql': mine }, [1_000, 1_015])
      const deployment = await startDeployment()
      await deployment.send(createHandler(branch), create(branch))
      return deployment.send(createHandler(main), update(listProperties(main), listProperties(branch)))
    }

    it('applies it', async () => {
      expect(await fromBranchTo('create table mine ()')).toMatchObject({ Status: 'SUCCESS' })
      expect(await sql`select to_regclass('mine') is not null as there`).toMatchObject([{ there: true }])
    })

    it('fails where that can not be done any more, and says so', async () => {
      expect(await fromBranchTo('create table b ()')).toMatchObject({
        Status: 'FAILED',
        Reason: '0001_mine.sql, line 1: relation "b" already exists (42P07)',
      })
    })
  })

  it('leaves nothing locked behind when the network is gone', async () => {
    const proxy = await startTcpProxy({ target: database.url })
    onTestFinished(proxy.close)
    const held = folder({ '0000_held.sql': 'create table held (); select pg_advisory_xact_lock(1)' })
    const deployment = await startDeployment({ remainingMs: 20_000 })
    const through = createHandler(held, { DATABASE_URL: proxy.url() })
    const sessions = () => sql`
      select state from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and query like '%pg_advisory_xact_lock(1)' and xact_start is not null`
    await sql`select pg_advisory_lock(1)`
    const response = deployment.send(through, create(held))
    await expect.poll(async () => (await sessions()).length).toBe(1)
    proxy.freeze()
    await sql`select pg_advisory_unlock(1)`
    expect(await response).toMatchObject({ Status: 'FAILED', Reason: 'The database did not answer in time.' })
    await expect.poll(async () => (await sessions()).length).toBe(0)
  })

  it.each([
    ['is not encrypted', 'http://127.0.0.1:1/signed?by=them'],
    ['is no URL', 'signed'],
  ])('refuses to answer where that %s', async (_what, ResponseURL) => {
    const deployment = await startDeployment()
    await expect(deployment.send(createHandler(), { ...create(), ResponseURL })).rejects.toThrow('ResponseURL')
    expect(await schemas()).toBe(0)
  })

  it('follows no redirect of its response', async () => {
    const deployment = await startDeployment()
    const elsewhere = await startDeployment({ redirectTo: deployment.url })
    const gone = { ...create(), RequestType: 'Delete', PhysicalResourceId: 'Migrations' }
    await expect(elsewhere.send(createHandler(), gone)).rejects.toThrow('CloudFormation did not take the response')
    expect(deployment.countResponses()).toBe(0)
  })

  it('refuses what CloudFormation does not send', async () => {
    await expect(createHandler()({}, { getRemainingTimeInMillis: () => 60_000 })).rejects.toThrow()
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
