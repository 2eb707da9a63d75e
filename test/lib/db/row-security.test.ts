import { sql } from 'drizzle-orm'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Database, DatabaseConfig } from '../../../lib/db/database.ts'
import { serviceLogin } from '../../support/database/service-login.ts'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'
import { openProxy } from './open-proxy.ts'
import { terminate, terminateWhileFrozen } from './terminate.ts'

let target: TestDatabase
let owner: Sql
beforeAll(async () => {
  target = await testDatabase()
  owner = postgres(target.url, { max: 1, onnotice: () => {} })
  await owner.unsafe(`
    create table letters (id serial primary key, tenant text not null, author text not null);
    alter table letters enable row level security;
    create policy caller on letters using (
      tenant = (select nullif(current_setting('table_control.claims', true), '')::jsonb ->> 'tenant'));
    create table diaries (author text not null);
    alter table diaries enable row level security;
    create policy caller on diaries using (author = nullif(current_setting('table_control.subject', true), ''));
    grant select, insert, update, delete on letters, diaries to ${serviceLogin.user};
    grant usage on sequence letters_id_seq to ${serviceLogin.user};`)
})
beforeEach(async () => {
  await owner.unsafe(`delete from letters; delete from diaries; insert into diaries values ('nora'), ('sami'), ('');
    insert into letters (tenant, author) values ('north', 'nora'), ('south', 'sami'), ('', 'nobody')`)
})
afterAll(async () => {
  await owner.end({ timeout: 5 })
  await target.drop()
})

const nora = { subject: 'nora', claims: { tenant: 'north' } }
const sami = { subject: 'sami', claims: { tenant: 'south' } }

const open = (settings: Partial<DatabaseConfig> = {}, url = target.serviceUrl): Database =>
  openDatabase(url, { DATABASE_ROW_SECURITY: 'on', ...settings })

const authors = 'select author from letters'
const authorsFor = async ({ read }: Pick<Database, 'read'>) => (await read(authors, [])).flat()

describe('a statement', () => {
  it('gets only the rows of its caller, and none if no caller is named', async () => {
    const database = open()
    expect(await authorsFor(database.as(nora))).toEqual(['nora'])
    expect(await authorsFor(database)).toEqual([])
    expect(await authorsFor(database.as(sami))).toEqual(['sami'])
    expect(await database.as(nora).read('select author from diaries', [])).toEqual([['nora']])
    expect(await database.read('select author from diaries', [])).toEqual([])
  })

  it('never runs as the caller before it on a shared connection', async () => {
    const database = open()
    const ofNora = database.as(nora)
    const ofSami = database.as(sami)
    const asked = Array.from({ length: 300 }, (_, index) => [ofNora, database, ofSami][index % 3] ?? database)
    const expected = asked.map((one) => (one === ofNora ? ['nora'] : one === ofSami ? ['sami'] : []))
    expect(await Promise.all(asked.map(authorsFor))).toEqual(expected)
    const settings = `select coalesce(current_setting('table_control.subject', true), ''),
      coalesce(current_setting('table_control.claims', true), '')`
    expect(await database.read(settings, [])).toEqual([['', '']])
  })

  it.each(['read', 'session'] as const)('takes one round trip: %s', async (way) => {
    const proxy = await openProxy(target.serviceUrl)
    const database = open({}, proxy.url()).as(nora)
    const ask = {
      read: () => database.read(authors, []),
      session: async () => (await database.session()).execute(authors),
    }
    await ask[way]()
    const before = proxy.roundTrips()
    await Promise.all([ask[way](), ask[way]()])
    expect(proxy.roundTrips() - before).toBe(1)
  })

  it('leaves no setting behind if it fails', async () => {
    const database = open()
    const bad = database.as(nora).read("select 'x'::int from letters", [])
    const [failed, ...others] = await Promise.allSettled([bad, authorsFor(database.as(sami)), authorsFor(database)])
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'validation_failed' } })
    expect(others).toMatchObject([{ value: ['sami'] }, { value: [] }])
  })

  it('stores rows by drizzle, except those that the policy refuses', async () => {
    const session = await open().as(nora).session()
    await session.execute(sql`insert into letters (tenant, author) values ('north', 'noel')`)
    const foreign = session.execute(sql`insert into letters (tenant, author) values ('south', 'noel')`)
    await expect(foreign).rejects.toMatchObject({ code: '42501' })
    expect(await owner.unsafe("select tenant from letters where author = 'noel'")).toEqual([{ tenant: 'north' }])
  })

  it('runs as its caller again after a lost connection', async () => {
    const database = open().as(nora)
    await database.read('select 1', [])
    await terminate(target.url)
    expect(await authorsFor(database)).toEqual(['nora'])
    terminateWhileFrozen(target.url)
    expect(await authorsFor(database)).toEqual(['nora'])
  })

  it.each([
    ['quotes', `it's "quoted" \\ $1`],
    ['Arabic', 'الشمال'],
    ['a NUL', 'nul \u0000'],
    ['half a character', '\ud800'],
    ['a lot of text', 'x'.repeat(100_000)],
    ['a set', new Set(['north']), ['north']],
    ['a bigint', 9_007_199_254_740_993n, '9007199254740993'],
  ])('may have %s in its caller’s claims', async (_what, tenant, text: unknown = tenant) => {
    const [row] = await open()
      .as({ subject: 'nora', claims: { tenant } })
      .read('select current_setting($1)', ['table_control.claims'])
    expect(JSON.parse(String(row?.[0]))).toEqual({ tenant: text })
  })

  it('fails for a rejected caller and for no other on a connection that is still opening', async () => {
    const broken = { ...nora, subject: 'no\u0000ra' }
    for (let connections = 0; connections < 40; connections += 1) {
      const database = open()
      await expect(database.as(broken).read(authors, [])).rejects.toMatchObject({ code: 'validation_failed' })
      expect(await authorsFor(database.as(sami))).toEqual(['sami'])
      await database.close()
    }
  })

  it('does not run for a subject that the server cannot store, in a transaction or outside of one', async () => {
    const database = open()
    const broken = database.as({ ...nora, subject: 'no\u0000ra' })
    await expect(broken.read(authors, [])).rejects.toThrow()
    for (let times = 0; times < 2; times += 1) {
      await expect(broken.transaction(({ run }) => run(authors, []))).rejects.toThrow()
      await expect(broken.transaction(async () => 1)).rejects.toThrow()
      expect(await authorsFor(database.as(sami))).toEqual(['sami'])
    }
  })
})

describe('a statement that was prepared before a column was migrated', () => {
  let width = 50
  const widenAuthor = () => owner.unsafe(`alter table letters alter column author type varchar(${width++})`)
  const repeat = async (work: () => Promise<unknown>) => {
    for (let times = 0; times < 4; times += 1) await work()
  }

  it('reads as its caller', async () => {
    const database = open().as(nora)
    await repeat(() => authorsFor(database))
    await widenAuthor()
    expect(await authorsFor(database)).toEqual(['nora'])
  })

  it('does not read as the caller of a transaction that was sent beside it', async () => {
    const database = open()
    const ofNora = database.as(nora)
    const ofSami = database.as(sami)
    await repeat(() => authorsFor(ofNora))
    await ofSami.transaction(({ run }) => run('select 1', []))
    await widenAuthor()
    const busy = ofSami.transaction(({ run }) => run('select author, pg_sleep(0.1)::text from letters', []))
    expect(await Promise.all([authorsFor(ofNora), busy])).toEqual([['nora'], [['sami', '']]])
  })

  it('writes once, as its caller', async () => {
    const session = await open().as(nora).session()
    const write = async () => [
      ...(await session.execute(sql`update letters set author = author || ${'!'} returning author`)),
    ]
    await repeat(write)
    await widenAuthor()
    expect(await write()).toEqual([{ author: 'nora!!!!!' }])
    expect((await owner.unsafe('select author from letters')).map(({ author }) => author).sort()).toEqual([
      'nobody',
      'nora!!!!!',
      'sami',
    ])
  })

  it('keeps its time limit', async () => {
    const database = open().as(nora)
    const read = (seconds: number) =>
      database.readWithin(300, 'select author, pg_sleep($1)::text from letters', [seconds])
    await repeat(() => read(0))
    await widenAuthor()
    expect(await read(5)).toBeUndefined()
  })

  it('makes one transaction unavailable, however many statements are concerned', async () => {
    const database = open().as(nora)
    const work = () =>
      database.transaction(async ({ run }) => [
        await run(authors, []),
        await run('select * from letters for update', []),
      ])
    await repeat(work)
    await widenAuthor()
    await expect(work()).rejects.toMatchObject({ code: 'unavailable', status: 503, cause: { code: 'PLAN_OUTDATED' } })
    expect(await work()).toMatchObject([[['nora']], [[expect.any(Number), 'north', 'nora']]])
  })

  it('runs as its caller after the server has forgotten it', async () => {
    const database = open()
    await repeat(() => authorsFor(database.as(nora)))
    await database.read('deallocate all', [])
    expect(await authorsFor(database.as(nora))).toEqual(['nora'])
    expect(await database.as(sami).transaction(({ run }) => run(authors, []))).toEqual([['sami']])
  })
})

describe('a transaction', () => {
  it('runs as its caller until it ends, also after a savepoint was rolled back', async () => {
    const database = open()
    const seen = await database.as(nora).transaction(async ({ run, drizzle }) => {
      const before = await run(authors, [])
      await drizzle.transaction((inner) => inner.execute(sql`select 1 / 0`)).catch(() => {})
      return [before, await run(authors, [])]
    })
    expect(seen).toEqual([[['nora']], [['nora']]])
    expect(await database.transaction(({ run }) => run(authors, []))).toEqual([])
    expect(await (await database.as(sami).session()).transaction((one) => one.execute(authors))).toMatchObject([
      { author: 'sami' },
    ])
  })

  it('reads through a cursor as its caller', async () => {
    const rows = await open()
      .as(nora)
      .transaction(async ({ run }) => {
        await run(`declare found no scroll cursor for ${authors}`, [])
        return run('fetch 10 from found', [])
      })
    expect(rows).toEqual([['nora']])
  })

  it('may begin in a mode of its own', async () => {
    const session = await open().as(nora).session()
    const mode = { isolationLevel: 'serializable', accessMode: 'read only', deferrable: true } as const
    const seen = await session.transaction(
      async (one) => [await one.execute(sql`show transaction_isolation`), await one.execute(authors)],
      mode,
    )
    expect(seen).toMatchObject([[{ transaction_isolation: 'serializable' }], [{ author: 'nora' }]])
  })

  it('takes no more round trips than a transaction without a caller', async () => {
    const proxy = await openProxy(target.serviceUrl)
    const database = open({}, proxy.url())
    const countTrips = async (one: Database) => {
      await one.transaction(({ run }) => run(authors, []))
      const before = proxy.roundTrips()
      await one.transaction(({ run }) => run(authors, []))
      return proxy.roundTrips() - before
    }
    expect([await countTrips(database), await countTrips(database.as(nora))]).toEqual([2, 2])
  })

  it('begins as its caller after a lost connection', async () => {
    const database = open().as(nora)
    await database.read('select 1', [])
    terminateWhileFrozen(target.url)
    expect(await database.transaction(({ run }) => run(authors, []))).toEqual([['nora']])
  })
})

describe('the setting', () => {
  it('is off by default, and costs nothing then', async () => {
    const database = openDatabase(target.serviceUrl)
    expect(database.as(nora)).toBe(database)
    expect(await authorsFor(database)).toEqual([])
  })
})

describe('the role of the functions', () => {
  it.each([
    ['set row_security = off; select from letters', 'query would be affected by row-level security policy'],
    ['alter table letters disable row level security', 'must be owner of table letters'],
    ['drop policy caller on letters', 'must be owner of'],
    [`alter role ${serviceLogin.user} bypassrls`, /permission denied|must be superuser/],
  ])('cannot go around policies: %s', async (statements, message) => {
    const functions = postgres(target.serviceUrl, { max: 1, onnotice: () => {} })
    onTestFinished(() => functions.end({ timeout: 5 }))
    await expect(functions.unsafe(statements)).rejects.toThrow(message)
  })
})
