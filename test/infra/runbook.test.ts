import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../lib/db/migrate.ts'
import { readMigrations } from '../../lib/db/migration-files.ts'
import { admitServiceRole, createServiceRole } from '../../lib/db/service-role.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'
import { fullStage, synthesize } from '../support/infra/synthesized-stack.ts'

const readPage = (name: string) => readFileSync(new URL(`../../infra/${name}`, import.meta.url), 'utf8')
const runbook = readPage('RUNBOOK.md')

/** Texts in backticks within lines, without the blocks. */
const inline = [...runbook.replaceAll(/^ *```.*?```/gms, '').matchAll(/`([^`]+)`/g)].map(([, text = '']) =>
  text.replaceAll(/\s+/g, ' '),
)
const readBlocks = (page: string, language: string) =>
  [...page.matchAll(new RegExp(`^ *\`\`\`${language}\\n(.*?)\`\`\``, 'gms'))].map(([, text = '']) => text)

/** The roles of a run are shared by all databases, so that these have names of their own. */
const id = randomUUID().replaceAll('-', '')
const roles = { owner: `owner_${id}`, service: `service_${id}`, manual: `manual_${id}` }

const placeholders: Readonly<Record<string, string>> = {
  '<id>': randomUUID(),
  '<pid>': '0',
  '<role>': roles.service,
  table_control_service: roles.service,
}
const fillIn = (text: string) =>
  text.replaceAll(/<id>|<pid>|<role>|table_control_service/g, (name) => placeholders[name] ?? name)

const isWhole = (text: string) => /^(select|delete|grant) [^…]+$/.test(text)
const statements = [...readBlocks(runbook, 'sql'), ...inline.filter(isWhole)].map((text) => text.trim())

let database: TestDatabase
let admin: Sql
/** As on RDS: no superuser, but a role that owns the database, may create roles, and see and end sessions. */
let owner: Sql

beforeAll(async () => {
  database = await testDatabase()
  admin = postgres(database.url, { max: 1, onnotice: () => {} })
  const name = new URL(database.url).pathname.slice(1)
  await admin.unsafe(`create role ${roles.owner} login createrole createdb password 'owner';
    grant pg_monitor, pg_signal_backend to ${roles.owner};
    grant create on schema public to ${roles.owner}; revoke create on schema public from public;
    alter database "${name}" owner to ${roles.owner}`)
  owner = postgres(database.url, { user: roles.owner, password: 'owner', max: 1, onnotice: () => {} })
  const login = { user: roles.service, password: 'service' }
  await createServiceRole(owner, login)
  await migrate(owner, readMigrations(new URL('../../tables/migrations/', import.meta.url)).migrations)
  await admitServiceRole(owner, login)
})
afterAll(async () => {
  await owner.end()
  await admin.end()
  await database.drop()
})

describe('the SQL of RUNBOOK.md', () => {
  it.each(statements)('runs as the owner of the database: %s', async (text) => {
    const undo = new Error('undone')
    const run = owner.begin(async (transaction) => {
      await transaction.unsafe(fillIn(text))
      throw undo
    })
    await expect(run).rejects.toBe(undo)
  })

  it('is found in the page', () => {
    expect(statements.length).toBeGreaterThan(15)
  })
})

it('the SQL of README.md for a role made by hand gives it the rights and settings that a deployment gives', async () => {
  const [text = ''] = readBlocks(readPage('README.md'), 'sql').filter((block) => block.startsWith('create role'))
  await owner.unsafe(text.replaceAll('table_control_service', roles.manual).replace('…', 'manual'))
  const [manual, deployed] = await Promise.all(
    [roles.manual, roles.service].map(
      (role) => admin`
        select relname as name, array(select right_name from unnest(array['select', 'insert', 'update', 'delete', 'truncate']) right_name
            where relkind = 'r' and has_table_privilege(${role}, pg_class.oid, right_name)) as rights,
          relkind = 'S' and has_sequence_privilege(${role}, pg_class.oid, 'usage') as uses
        from pg_class where relnamespace in ('public'::regnamespace, 'table_control'::regnamespace, 'drizzle'::regnamespace)
          and relkind in ('r', 'S')
        union all select proname, '{}', has_function_privilege(${role}, oid, 'execute')
        from pg_proc where pronamespace = 'table_control'::regnamespace
        union all select setting, '{}', true from pg_roles, unnest(rolconfig) setting where rolname = ${role} order by 1`,
    ),
  )
  expect(manual?.length).toBeGreaterThan(20)
  expect(manual).toEqual(deployed)
})

describe('what the commands and queries of RUNBOOK.md name', () => {
  const { template, outputs } = synthesize(fullStage)

  it('are outputs of the stack, where it stands in angle brackets', () => {
    const named = [...runbook.matchAll(/<([A-Z]\w+)>/g)].map(([, name]) => name).filter((name) => name !== 'UTC')
    expect(named).toContain('QueueUrl')
    expect(named.filter((name) => !Object.keys(outputs).includes(`${name}`))).toEqual([])
  })

  it('are resources of the stack, where a command finds one by its logical id', () => {
    const [, secret] = /--logical-resource-id (\w+)/.exec(runbook) ?? []
    const [, rule = ''] = /--name-prefix table-control-<stage>-(\w+)/.exec(runbook) ?? []
    const types = Object.entries<{ readonly Type: string }>(template.toJSON()['Resources'])
    expect(types.find(([name]) => name === secret)?.[1].Type).toBe('AWS::SecretsManager::Secret')
    expect(types.filter(([name]) => name.startsWith(rule)).map(([, { Type }]) => Type)).toContain('AWS::Events::Rule')
  })

  it('is the namespace of the metrics', () => {
    expect(runbook).toContain('in the namespace `TableControl/<stage>`')
    expect(JSON.stringify(template.toJSON())).toContain('"METRICS_NAMESPACE":"TableControl/test"')
  })

  it('are codes of a connection that failed', () => {
    const source = readFileSync(new URL('../../lib/db/database-error.ts', import.meta.url), 'utf8')
    const [, table = ''] = /\n\| `errors\.1\.code`.*?\n(.*?)\n\n/s.exec(runbook) ?? []
    const codes = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
    expect(codes.length).toBeGreaterThan(7)
    expect(codes.filter((code) => !source.includes(`'${code}'`))).toEqual([])
  })

  it('are messages that the service logs', () => {
    const sources = readdirSync(new URL('../../lib/', import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(new URL(`../../lib/${file}`, import.meta.url), 'utf8'))
    const [, section = ''] = /\n### Errors in the log without an alarm\n(.*?)\n### /s.exec(runbook) ?? []
    const rows = [...section.matchAll(/^\| (`.*?) \|/gm)].slice(1)
    const listed = rows.flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text))
    const equal = [...runbook.matchAll(/message = "([^"]+)"/g)].map(([, text = '']) => text)
    const named = [...listed, ...equal]
    expect(named.length).toBeGreaterThan(7)
    expect(named.filter((text) => !sources.some((source) => source.includes(`'${text}`)))).toEqual([])
  })

  it('are fields that the page explains, that an access log has, or that Lambda writes', () => {
    const words =
      /\b(?:asc|and|as|bin|by|count|desc|display|filter|in|ispresent|like|limit|max|not|or|pct|sort|stats|sum)\b/g
    const queries = [...readBlocks(runbook, ''), ...inline].filter((text) => /^(?:… \| )?(?:filter|stats) /.test(text))
    const fields = queries.flatMap((query) =>
      query
        .replaceAll(/"[^"]*"|\/(?:[^/\\]|\\.)+\/|bin\(\w+\)/g, '')
        .replaceAll(words, '')
        .split(/[^\w.@]+/)
        .filter((word) => /^[A-Za-z@]/.test(word)),
    )
    const explained = [...runbook.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? [])
    const logged = ['event', 'integration_error', 'source_ip', '@log', '@message', '@timestamp', 'type', 'record']
    const known = new Set([...explained, ...logged])
    expect(new Set(fields).size).toBeGreaterThan(20)
    expect(fields.filter((field) => !known.has(field.split('.')[0] ?? ''))).toEqual([])
  })
})
