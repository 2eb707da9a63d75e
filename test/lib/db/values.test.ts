import { sql } from 'drizzle-orm'
import { bigint, boolean, date, integer, jsonb, numeric, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())

it('reads every column of a table that is defined a second time', async () => {
  const database = openDatabase(target.url)
  const narrow = pgTable('twice', { id: integer() })
  const wide = pgTable('twice', { id: integer(), depot: text() })
  const session = await database.session()
  await session.execute(sql`create table twice as select 7 as id, 'small' as depot`)
  expect([await session.select().from(narrow), await session.select().from(wide)]).toEqual([
    [{ id: 7 }],
    [{ id: 7, depot: 'small' }],
  ])
})

it('reads the rows of a statement, whatever the one before it had received when it failed', async () => {
  const database = openDatabase(target.url)
  await expect(database.read('select 1 / (n - 5000) from generate_series(1, 10000) n', [])).rejects.toThrow('division')
  expect(await database.read('select 42', [])).toEqual([[42]])
  expect(await database.read('select 43', [])).toEqual([[43]])
})

it.each<[string, readonly unknown[]]>([
  ['undefined', [undefined]],
  ['a function', [() => 1]],
  ['more than 65,000 values', Array(65_001).fill(1)],
])('refuses %s as parameters, and goes on', async (_, parameters) => {
  const database = openDatabase(target.url)
  await expect(database.read('select $1::text', parameters as never)).rejects.toBeInstanceOf(TypeError)
  expect(await database.read('select $1::text', ['next'])).toEqual([['next']])
})

it.each([
  ['int2', '-32768', -32_768],
  ['int4', '2147483647', 2_147_483_647],
  ['int8', '9223372036854775807', '9223372036854775807'],
  ['numeric', '12345678901234567890.12345678900', '12345678901234567890.12345678900'],
  ['float8', '0.1', 0.1],
  ['float4', '1.5', 1.5],
  ['bool', 'true', true],
  ['date', '0044-03-15 BC', '0044-03-15 BC'],
  ['date', '10000-01-01', '10000-01-01'],
  ['timestamp', '2026-01-31 08:00:00.123456', '2026-01-31 08:00:00.123456'],
  ['timestamptz', '2026-01-31 08:00:00.5+03', '2026-01-31 05:00:00.5+00'],
  ['timestamptz', 'infinity', 'infinity'],
  ['time', '23:59:59.999999', '23:59:59.999999'],
  ['interval', '1 day 02:03:04', '1 day 02:03:04'],
  ['jsonb', '{"a":[1,null,"ب"]}', { a: [1, null, 'ب'] }],
  ['json', '"text"', 'text'],
  ['uuid', 'a81bc81b-dead-4e5d-abff-90865d1e13b1', 'a81bc81b-dead-4e5d-abff-90865d1e13b1'],
  ['int8[]', '{9007199254740993,NULL}', '{9007199254740993,NULL}'],
])('reads %s %s without loss', async (type, literal, expected) => {
  const database = openDatabase(target.url)
  const [row] = await database.read(`select $1::text::${type}, null::${type}`, [literal])
  expect(row).toEqual([expected, null])
})

it.each([
  ['int8', 9_007_199_254_740_993n, '9007199254740993'],
  ['bool', false, false],
  ['bool', true, true],
  ['float8', 1e-300, 1e-300],
  ['timestamptz', new Date(0), '1970-01-01 00:00:00+00'],
  ['bytea', Uint8Array.of(0, 255), Buffer.from([0, 255])],
  ['text[]', ['plain', '{"quoted\\}', '', 'NULL', null], String.raw`{plain,"{\"quoted\\}","","NULL",NULL}`],
  [
    'int[]',
    [
      [1, 2],
      [3, 4],
    ],
    '{{1,2},{3,4}}',
  ],
  ['int[]', [], '{}'],
])('sends a parameter as %s %s, the first time and prepared', async (type, value, expected) => {
  const database = openDatabase(target.url)
  for (const _ of ['first', 'prepared']) {
    expect(await database.read(`select $1::${type}`, [value])).toEqual([[expected]])
  }
})

it('has the same session for any defaults of the server', async () => {
  const database = openDatabase(target.url, { applicationName: 'test-of-sessions' })
  const name = sql.identifier(new URL(target.url).pathname.slice(1))
  const session = await database.session()
  await session.execute(sql`alter database ${name} set timezone to 'Asia/Riyadh'`)
  await session.execute(sql`alter database ${name} set extra_float_digits to 0`)
  await session.execute(sql`alter database ${name} set bytea_output to 'escape'`)
  const timeouts = ['lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout']
  const settings = ['application_name', 'timezone', 'datestyle', 'extra_float_digits', 'bytea_output', ...timeouts]
  const [row] = await openDatabase(target.url, { applicationName: 'test-of-sessions' }).read(
    `select ${settings.map((name) => `current_setting('${name}')`).join(', ')}`,
    [],
  )
  expect(row).toEqual(['test-of-sessions', 'UTC', 'ISO, YMD', '1', 'hex', '2s', '8s', '15s', '90s'])
})

it('agrees with the columns of drizzle', async () => {
  const things = pgTable('things', {
    id: bigint({ mode: 'bigint' }).primaryKey(),
    amount: numeric(),
    count: integer(),
    day: date(),
    at: timestamp({ withTimezone: true, mode: 'date' }),
    local: timestamp({ mode: 'string' }),
    done: boolean(),
    facts: jsonb(),
    tags: text().array().$type<(string | null)[]>(),
    flags: boolean().array(),
    pairs: integer().array().array(),
    days: date({ mode: 'date' }).array().$type<(Date | null)[]>(),
    papers: jsonb().array(),
  })
  const database = openDatabase(target.url)
  await (
    await database.session()
  ).execute(sql`create table things (id bigint primary key, amount numeric, count int, day date,
    at timestamptz, local timestamp, done bool, facts jsonb, tags text[], flags bool[], pairs int[][], days date[], papers jsonb[])`)
  const thing = {
    id: 9_007_199_254_740_993n,
    amount: '0.10',
    count: 3,
    day: '2026-01-31',
    at: new Date('2026-01-31T08:00:00.123Z'),
    local: '2026-01-31 08:00:00',
    done: false,
    facts: { nested: ['x'] },
    tags: ['a,b', '"c"', String.raw`\d`, '', 'NULL', null],
    flags: [true, false],
    pairs: [
      [1, 2],
      [3, 4],
    ],
    days: [new Date('2026-01-31'), null],
    papers: [{ title: 'a "b", {c}' }, 'text'],
  }
  await (await database.session()).insert(things).values(thing)
  await (await database.session()).insert(things).values({ ...thing, id: 1n })
  expect(await (await database.session()).select().from(things).orderBy(things.id)).toEqual([
    { ...thing, id: 1n },
    thing,
  ])
  expect(await (await database.session()).$count(things)).toBe(2)
  const listed = sql`select array_agg(id order by id) as ids, array[[true, null]] as flags, '[0:1]={1,2}'::int[] as bound from things`
  expect([...(await (await database.session()).execute(listed))]).toEqual([
    { ids: ['1', '9007199254740993'], flags: [[true, null]], bound: [1, 2] },
  ])
})
