import { randomUUID } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../../lib/db/migrate.ts'
import { readMigrations } from '../../../lib/db/migration-files.ts'
import { admitServiceRole, createServiceRole, type ServiceLogin } from '../../../lib/db/service-role.ts'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'

const id = () => randomUUID().replaceAll('-', '')

/** Roles are shared by the databases of a run, so that each test has its own. */
const ownerName = `owner_${id()}`
const login = { user: `service_${id()}`, password: "it's a \\ pass$word" }

let database: TestDatabase
let admin: Sql
/** As on RDS: no superuser, but a role that may create roles and owns the database. */
let owner: Sql

async function prepareServiceRole(sql: Sql, login: ServiceLogin) {
  await createServiceRole(sql, login)
  await admitServiceRole(sql, login)
}

const connect = (user: string, password: string): Sql => {
  const url = new URL(database.url)
  const options = { host: url.hostname, port: Number(url.port), database: url.pathname.slice(1), max: 1 }
  return postgres({ ...options, user, password, onnotice: () => {} })
}

/** Runs one statement as the functions would. */
async function asService(statement: string, password = login.password) {
  const sql = connect(login.user, password)
  return sql.unsafe(statement).finally(() => sql.end())
}

beforeAll(async () => {
  database = await testDatabase()
  admin = postgres(database.url, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create role ${ownerName} login createrole createdb password 'owner'`)
  // Before Postgres 15, the owner of a database may create there only as everybody may.
  await admin.unsafe(`grant create on schema public to ${ownerName}; revoke create on schema public from public`)
  await admin.unsafe(`alter database "${new URL(database.url).pathname.slice(1)}" owner to ${ownerName}`)
  await admin.unsafe('create table foreign_table (id int); revoke all on foreign_table from public')
  owner = connect(ownerName, 'owner')
  await migrate(owner, readMigrations(new URL('../../../tables/migrations/', import.meta.url)).migrations)
  await prepareServiceRole(owner, login)
})
afterAll(async () => {
  await owner.end()
  await admin.end()
  await database.drop()
})

describe('the role of the functions', () => {
  it('is made by an owner who is no superuser, and may do nothing but log in', async () => {
    const [role] = await admin`select * from pg_roles where rolname = ${login.user}`
    expect(role).toMatchObject({
      rolcanlogin: true,
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolbypassrls: false,
      rolreplication: false,
    })
    const [owned] = await admin`select count(*)::int from pg_class where relowner = ${login.user}::regrole`
    expect(owned).toEqual({ count: 0 })
  })

  it('logs in by its password, of which the server keeps only what verifies it', async () => {
    await expect(asService('select 1')).resolves.toHaveLength(1)
    await expect(asService('select 1', 'another')).rejects.toThrow('password authentication failed')
    const [kept] = await admin`select rolpassword from pg_authid where rolname = ${login.user}`
    expect(kept?.['rolpassword']).toMatch(/^SCRAM-SHA-256\$4096:/)
  })

  it('has memory for the pages that a search finds, unless it was given another amount', async () => {
    const settings = "select current_setting('work_mem') as memory"
    expect(await asService(settings)).toMatchObject([{ memory: '32MB' }])
    await admin.unsafe(`alter role ${login.user} set work_mem = '8MB'`)
    await admitServiceRole(owner, login)
    expect(await asService(settings)).toMatchObject([{ memory: '8MB' }])
  })

  it('reads what is committed, whatever the default of the database', async () => {
    const name = new URL(database.url).pathname.slice(1)
    await admin.unsafe(`alter database ${name} set default_transaction_isolation = 'serializable'`)
    onTestFinished(async () => void (await admin.unsafe(`alter database ${name} reset default_transaction_isolation`)))
    expect(await asService('show transaction_isolation')).toEqual([{ transaction_isolation: 'read committed' }])
  })

  it.each([
    ['select from flights, airports, bird_strikes, table_control.jobs where false', 'SELECT', 0],
    [
      "insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id) values ('a', 'b', 'c', 'd', 'row', 1, 'e', 'f')",
      'INSERT',
      1,
    ],
    ["insert into table_control.sockets values ('one', 'nora', now(), now())", 'INSERT', 1],
    ["update table_control.sockets set subject = 'sami' where connection_id = 'one'", 'UPDATE', 1],
    ["delete from table_control.sockets where subject = 'sami'", 'DELETE', 1],
    ["update bird_strikes set status = 'open' where id = 0", 'UPDATE', 0],
    ['select table_control.remove_old_audit(400, 1000)', 'SELECT', 1],
    ['select table_control.remove_old_cell_changes(400, 1000)', 'SELECT', 1],
  ])('may %s', async (statement, command, count) => {
    const { command: done, count: rows } = await asService(statement)
    expect([done, rows]).toEqual([command, count])
  })

  it.each([
    'update table_control.audit set rows = 0',
    'delete from table_control.audit',
    'delete from table_control.cell_changes',
    'truncate flights',
    'alter table flights add note text',
    'create table mine ()',
    'create schema mine',
    'select * from drizzle.__drizzle_migrations',
    'select * from foreign_table',
    'set role pg_read_all_data',
  ])('may not %s', async (statement) => {
    await expect(asService(statement)).rejects.toMatchObject({ code: '42501' })
  })

  it('is the only one beside the owner that may remove old entries of the audit, and none of the last 30 days', async () => {
    const stranger = { user: `stranger_${id()}`, password: 'stranger' }
    await admin.unsafe(`create role ${stranger.user} login password '${stranger.password}'`)
    await admin.unsafe(`grant usage on schema table_control to ${stranger.user}`)
    onTestFinished(async () => void (await admin.unsafe(`drop owned by ${stranger.user}; drop role ${stranger.user}`)))
    const removal = 'select table_control.remove_old_audit(1, 1000) as removed'
    const sql = connect(stranger.user, stranger.password)
    await expect(sql.unsafe(removal).finally(() => sql.end())).rejects.toMatchObject({ code: '42501' })
    await owner`truncate table_control.audit`
    for (const age of ['29 days', '31 days'])
      await owner`insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id, at)
        values ('a', 'b', 'c', 'd', 'row', 1, 'e', 'f', now() - ${age}::interval)`
    expect(await asService(removal)).toMatchObject([{ removed: 1 }])
  })

  it('may remove old changes of cells, and none of the last day', async () => {
    await owner`truncate table_control.cell_changes`
    for (const age of ['23 hours', '25 hours'])
      await owner`insert into table_control.cell_changes (change, subject, table_name, row_key, cells, request_id, at)
        values (gen_random_uuid(), 'a', 'b', '1', '{}', 'f', now() - ${age}::interval)`
    const removal = 'select table_control.remove_old_cell_changes(0, 1000) as removed'
    expect(await asService(removal)).toMatchObject([{ removed: 1 }])
  })

  it('may use tables that a later migration makes', async () => {
    await owner`create table later (id serial primary key, note text)`
    onTestFinished(async () => void (await owner`drop table later`))
    await expect(asService("insert into later (note) values ('x') returning id")).resolves.toHaveLength(1)
  })

  it('loses every right that is none of its own any more', async () => {
    const excess = [
      'truncate on flights',
      'update (rows) on table_control.audit',
      'update on sequence table_control.audit_id_seq',
      'create on schema table_control',
    ]
    for (const right of excess) await owner.unsafe(`grant ${right} to ${login.user}`)
    await owner.unsafe(`alter default privileges in schema public grant truncate on tables to ${login.user}`)
    await admitServiceRole(owner, login)
    await owner`create table later (id int)`
    onTestFinished(async () => void (await owner`drop table later`))
    const refused = ['truncate flights', 'update table_control.audit set rows = 0', 'truncate later']
    const others = ['create table table_control.mine ()', "select setval('table_control.audit_id_seq', 1)"]
    for (const statement of [...refused, ...others])
      await expect(asService(statement), statement).rejects.toMatchObject({ code: '42501' })
  })

  it('keeps its password until all else is done', async () => {
    await createServiceRole(owner, { ...login, password: 'too early' })
    await expect(asService('select 1')).resolves.toHaveLength(1)
  })

  it('gets a new password by being admitted again', async () => {
    await admitServiceRole(owner, { ...login, password: 'new' })
    onTestFinished(() => admitServiceRole(owner, login))
    await expect(asService('select 1', 'new')).resolves.toHaveLength(1)
    await expect(asService('select 1')).rejects.toThrow('password authentication failed')
  })
})

describe('a role that may do too much', () => {
  it.each(['superuser', 'bypassrls', 'createrole', 'createdb', 'replication'])('is refused: %s', async (right) => {
    const user = `too_much_${id()}`
    await admin.unsafe(`create role ${user} ${right}; grant ${user} to ${ownerName} with admin option`)
    onTestFinished(async () => void (await admin.unsafe(`drop role ${user}`)))
    await expect(prepareServiceRole(admin, { user, password: 'x' })).rejects.toThrow(
      `The role "${user}" of the functions has rights that are not allowed: ${right}; revoke them.`,
    )
  })

  it.each(['pg_write_all_data', 'pg_execute_server_program', `another_${id()}`])(
    'is refused where it is a member of another: %s',
    async (other) => {
      const user = `too_rich_${id()}`
      if (!other.startsWith('pg_')) {
        await admin.unsafe(`create role ${other}`)
        onTestFinished(async () => void (await admin.unsafe(`drop role ${other}`)))
      }
      await admin.unsafe(`create role ${user} noinherit; grant ${other} to ${user}`)
      onTestFinished(async () => void (await admin.unsafe(`drop role ${user}`)))
      const refused = `The role "${user}" of the functions has rights that are not allowed: membership in "${other}"; revoke them.`
      await expect(createServiceRole(admin, { user, password: 'x' })).rejects.toThrow(refused)
      await expect(admitServiceRole(admin, { user, password: 'x' })).rejects.toThrow(refused)
    },
  )

  it.each([
    ['delete on table_control.audit', 'changing table_control.audit'],
    ['truncate on table_control.audit', 'changing table_control.audit'],
    ['update (rows) on table_control.audit', 'changing table_control.audit'],
    ['create on schema table_control', 'creating in the schema table_control'],
    ['create on schema public', 'creating in the schema public'],
  ])('is refused where everybody may %s', async (right, named) => {
    await admin.unsafe(`grant ${right} to public`)
    onTestFinished(async () => void (await admin.unsafe(`revoke ${right} from public`)))
    await expect(admitServiceRole(owner, login)).rejects.toThrow(
      `The role "${login.user}" of the functions has rights that are not allowed: ${named}; revoke them.`,
    )
  })

  it('is refused where it owns tables or is a member of the owner', async () => {
    const user = `too_near_${id()}`
    await admin.unsafe(`create role ${user}; grant ${user} to ${ownerName} with admin option`)
    onTestFinished(async () => void (await admin.unsafe(`drop owned by ${user}; drop role ${user}`)))
    await admin.unsafe(`create table its_own (); alter table its_own owner to ${user}`)
    await expect(prepareServiceRole(owner, { user, password: 'x' })).rejects.toThrow('tables of its own')
    await admin.unsafe(`drop table its_own; revoke ${user} from ${ownerName}; grant ${ownerName} to ${user}`)
    await expect(prepareServiceRole(admin, { user, password: 'x' })).rejects.toThrow(`membership in "${ownerName}"`)
  })

  it('is refused where it is the owner itself', async () => {
    await expect(prepareServiceRole(owner, { user: ownerName, password: 'x' })).rejects.toThrow(
      `The functions may not log in as "${ownerName}", which owns the tables; name another role in DATABASE_SERVICE_URL.`,
    )
  })
})
