import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { migrationsFolder } from '../../infra/bundle/migrations-plugin.ts'
import { readMigrations } from '../../lib/db/migration-files.ts'
import { narrowingStatements, readContract } from './narrowing-statements.ts'
import { unpackPreviousVersion } from './previous-functions.ts'

const changelog = readFileSync(new URL('../../infra/CHANGELOG.md', import.meta.url), 'utf8')
/** The newest first. */
const versions = [...changelog.matchAll(/^## (\S+)/gm)].map(([, version]) => version)
const { migrations } = readMigrations(migrationsFolder)

describe('a migration', () => {
  it.each(migrations)('takes nothing away in $file that the version before uses', ({ text }) => {
    const since = readContract(text)
    const taken = narrowingStatements(text)
    if (since === undefined) expect(taken).toEqual([])
    else {
      expect(taken).not.toEqual([])
      // In front of it, there must be a version that was deployed without it.
      expect(versions.slice(1)).toContain(since)
    }
  })

  it.each([
    ['alter table a drop column b', 'removes a column'],
    ['DROP TABLE "a"', 'removes a table'],
    ['alter table a rename column b to c', 'renames'],
    ['alter table a alter column b set data type bigint', 'changes the type of a column'],
    ['alter table a alter column b type bigint', 'changes the type of a column'],
    ['alter table a alter column b set not null', 'asks for a value'],
    ['alter table a add column b text not null', 'adds a column that must be filled'],
    ['alter table a alter column b drop default', 'removes a default'],
    ['revoke select on a from b', 'takes rights away'],
    ['create or replace function a() returns integer; revoke all on function a() from b', 'takes rights away'],
  ])('is found if it says "%s"', (text, rule) => {
    expect(narrowingStatements(`create table x (y int);\n${text};`)).toEqual([expect.stringContaining(rule)])
  })

  it.each([
    'alter table a add column b text not null default $$x$$',
    'alter table a add column b text',
    'create index a on b (c)',
    'alter table a add constraint b foreign key (c) references d (e) on delete cascade',
    '-- drop table a\ncreate table a (b text not null)',
    'create function a(b integer) returns integer language sql as $$select 1$$; revoke all on function a(integer) from public',
  ])('a migration only adds if it says "%s"', (text) => {
    expect(narrowingStatements(text)).toEqual([])
  })
})

describe('CHANGELOG.md', () => {
  it('has a section for the version whose functions are recorded, behind that of this version', async () => {
    const { version, remove } = unpackPreviousVersion()
    await remove()
    expect(versions.indexOf(version)).toBe(1)
  })
})
