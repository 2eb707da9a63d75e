import { pgTable, text } from 'drizzle-orm/pg-core'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { assertReadableTexts } from '../../lib/errors/readable-text.ts'
import { createRegistry, everyRow, undoBy } from '../../lib/index.ts'
import { serviceLogin } from '../support/database/service-login.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

/** Rows whose keys are texts that name something of every object. */
const words = pgTable('words', { word: text().primaryKey(), meaning: text(), secret: text() })

const wordsTable = defineFixture({
  from: words,
  key: 'word',
  name: 'words',
  scope: everyRow,
  columns: {
    word: { label: 'Word' },
    meaning: { label: 'Meaning', editable: true },
    secret: { label: 'Secret', editable: true, sensitive: true },
  },
  rowActions: {
    shout: {
      bulk: true,
      run: async ({ db, row, where }) => {
        await db.update(words).set({ meaning: 'LOUD' }).where(where)
        return { undo: { meaning: row.meaning } }
      },
      undo: undoBy(z.object({ meaning: z.string().nullable() }), async ({ db, where, data }) => {
        await db.update(words).set(data).where(where)
      }),
    },
  },
})

const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then', '0', 'length', 'word']

const work = await startWorkApi()
const api = work.variant({}, createRegistry([wordsTable], { claims: fixtureClaims }))
await work.sql.unsafe(`create table words (word text primary key, meaning text, secret text);
  grant select, update on words to ${serviceLogin.user}`)
await work.sql`insert into words select word, 'plain', 'hidden' from unnest(${names}::text[]) as word`

const readWords = () => work.sql`select * from words order by word`
const undo = (response: { undo: { url: string } }) =>
  api.post(new URL(response.undo.url).pathname.split('/control-tables/')[1] ?? '', {})

const ids = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 })

it('edits, plans, versions and undoes rows whose keys are names of every object', async () => {
  await fc.assert(
    fc.asyncProperty(ids, fc.boolean(), async (selected, isAction) => {
      const before = await readWords()
      const path = `row-bulk-table-action/words/${isAction ? 'shout' : 'update_cells'}`
      const form = isAction ? {} : { cells: { meaning: 'edited', secret: 'other' } }
      const { items } = (await api.post('query-table/words', { include: ['version'], perPage: 100 })).json
      const versions = `{${items
        .filter(({ id }: { id: string }) => selected.includes(id))
        .map((item: { id: string; _version: string }) => `${JSON.stringify(item.id)}: "${item._version}"`)
        .join()}}`
      const body = JSON.stringify({ selected_ids: selected, ...form, plan: true })
      const planned = await api.post(path, JSON.parse(`${body.slice(0, -1)}, "versions": ${versions}}`))
      expect(planned.json.plan, planned.text).toMatchObject({ applicable: selected.length, refused: [] })
      const changed = await api.post(path, { plan_id: planned.json.plan.id })
      expect(changed.json.counts, changed.text).toEqual({ succeeded: selected.length, failed: 0 })
      const undone = await undo(changed.json)
      expect(undone.json.counts, undone.text).toEqual({ succeeded: selected.length, failed: 0 })
      expect(await readWords()).toEqual(before)
    }),
    {
      numRuns: 10,
      examples: [
        [names, false],
        [names, true],
        [['__proto__'], false],
      ],
    },
  )
})

it('names a text that Postgres cannot hold under a key of that name', () => {
  const body = JSON.parse('{"__proto__": "\\u0000"}')
  expect(() => assertReadableTexts(body, [])).toThrow(expect.objectContaining({ code: 'validation_failed' }))
})
