import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readFunctionNames } from '../../infra/bundle/bundle.ts'
import { migrationsFolder } from '../../infra/bundle/migrations-plugin.ts'
import type { StageSettings } from '../../infra/settings/stage-settings.ts'
import { readMigrations } from '../../lib/db/migration-files.ts'
import { serviceRights } from '../../lib/db/service-rights.ts'
import { fullStage, listFunctions, referredTo, smallStage, synthesize } from '../support/infra/synthesized-stack.ts'

const owned: StageSettings = {
  ...smallStage,
  database: {
    ...smallStage.database,
    ownerSecretArn: 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:owner-AbCdEf',
  } as StageSettings['database'],
}
const created = synthesize(fullStage)
const existing = synthesize(owned)
const stacks = [
  ['created', created],
  ['existing, with the login of its owner', existing],
] as const

const type = 'Custom::DatabaseMigrations'
const step = z.object({
  ServiceToken: z.unknown(),
  ServiceTimeout: z.string().transform(Number),
  Migrations: z.string(),
  Rights: z.string(),
  Secrets: z.string(),
  Connections: z.string(),
  Login: z.unknown(),
  Server: z.unknown().optional(),
})

const findStep = (of: typeof created) => [...of.listResources(type, step)][0] ?? ['none', undefined]
const dependent = z.object({ DependsOn: z.array(z.string()).default([]) })
const dependencies = (of: typeof created, id: string) =>
  dependent.parse(of.template.toJSON()['Resources'][id]).DependsOn

describe.each(stacks)('with a database that is %s, a deployment', (_which, of) => {
  const functions = listFunctions(of)
  const [id, properties] = findStep(of)
  const own = functions.get('migrate')

  it('runs the migrations before it changes any function that uses the database', () => {
    expect(referredTo(properties?.ServiceToken)).toBe(own?.id)
    for (const [name, { id: user, Environment }] of functions) {
      const uses = JSON.stringify(Environment.Variables['DATABASE_URL']).includes('{{resolve:')
      expect({ name, waits: dependencies(of, user).includes(id) }).toEqual({ name, waits: uses && name !== 'migrate' })
    }
  })

  it('waits longer than the function may take, which is tried once and never runs twice', () => {
    expect(properties?.ServiceTimeout).toBeGreaterThan(own?.Timeout ?? 0)
    expect([own?.Timeout, own?.ReservedConcurrentExecutions]).toEqual([900, 1])
    of.template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 })
  })

  it("gives the owner's login to that function alone, and the others' beside it", () => {
    const urls = [...functions].map(([name, one]) => [name, JSON.stringify(one.Environment.Variables['DATABASE_URL'])])
    const owner = urls.find(([name]) => name === 'migrate')?.[1]
    expect(urls.filter(([, url]) => url === owner)).toHaveLength(1)
    expect(own?.Environment.Variables['DATABASE_SERVICE_URL']).toEqual(
      functions.get('query-table')?.Environment.Variables['DATABASE_URL'],
    )
  })
})

describe('the migration step of a deployment', () => {
  it('begins after the database was created', () => {
    const instances = [...created.listResources('AWS::RDS::DBInstance', z.unknown()).keys()]
    expect(instances.length).toBeGreaterThan(0)
    expect(dependencies(created, findStep(created)[0])).toEqual(expect.arrayContaining(instances))
  })

  it('runs again for other secrets or more connections, and else only for other migrations or rights', () => {
    const reasons = (settings: StageSettings) => {
      const { ServiceToken: _, ...rest } = findStep(synthesize(settings))[1] ?? {}
      return rest
    }
    const before = reasons(owned)
    const Rights = createHash('sha256').update(JSON.stringify(serviceRights)).digest('hex')
    expect(before).toMatchObject({ Migrations: readMigrations(migrationsFolder).hash, Rights })
    expect(reasons({ ...owned, requestsPerSecond: 7, allowedOrigins: ['https://x.example.com'] })).toEqual(before)
    expect(reasons({ ...owned, secretsRevision: 2 })).toEqual({ ...before, Secrets: '2' })
    const database = { ...owned.database, connections: 101 }
    expect(reasons({ ...owned, database })).toEqual({ ...before, Connections: '101' })
  })

  it('runs for another role of the functions, whose secret is its own, so that a rollback finds the first one unchanged', () => {
    const withRole = (serviceRole: string) =>
      synthesize({ ...fullStage, database: { ...fullStage.database, serviceRole } as StageSettings['database'] })
    const findSecret = (of: typeof created) => referredTo(findStep(of)[1]?.Login)
    const first = created
    const second = withRole('second_role')
    const third = withRole('third_role')
    expect(findSecret(withRole('table_control_service'))).toBe(findSecret(first))
    expect(new Set([first, second, third].map(findSecret)).size).toBe(3)
    for (const stack of [second, third]) {
      const { Environment } = listFunctions(stack).get('query-table') ?? {}
      expect(JSON.stringify(Environment?.Variables['DATABASE_URL'])).toContain(findSecret(stack))
      expect(stack.resources).not.toHaveProperty(findSecret(first))
    }
  })

  it('runs for another server, which a change of the kind of the database makes', () => {
    const instance = { kind: 'instance', instanceType: 't4g.small', connections: 100 } as const
    const findServer = (of: typeof created) => referredTo(findStep(of)[1]?.Server)
    const servers = [created, synthesize({ ...fullStage, database: instance })].map(findServer)
    expect(new Set(servers).size).toBe(2)
  })

  it("is absent if the login of the database's owner is not given: its migrations run outside of the deployment then", async () => {
    const small = synthesize(smallStage)
    small.template.resourceCountIs(type, 0)
    const others = (await readFunctionNames()).filter((name) => name !== 'migrate')
    expect([...listFunctions(small).keys()].sort()).toEqual([...others].sort())
  })
})
