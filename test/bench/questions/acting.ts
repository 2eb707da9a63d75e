import { type DemoStack, withDemoStack } from '../demo-stack.ts'
import { compareTimes, type Figure, type Question } from '../figure.ts'
import { interleave, measure, type Samples } from '../rounds.ts'

const rounds = 11
const requests = 40
const filters = [{ field: 'status', value: 'open' }]

type Send = DemoStack['send']
type Id = number

const editPath = (id: Id) => `row-table-action/bird_strikes/update_cells/${id}`
const page = (send: Send, include: readonly string[] = []) =>
  send('query-table/bird_strikes', { filters, perPage: 20, ...(include.length > 0 && { include }) })

let notes = 0
const newNote = () => `Note ${++notes}`
const edit = (send: Send, id: Id, more: object = {}) => send(editPath(id), { cells: { note: newNote() }, ...more })

/** Repeats what `prepare` resolves with, for each of the rows; returns the mean time of one in milliseconds. */
const repeat =
  (ids: readonly Id[], prepare: (id: Id) => Promise<() => Promise<unknown>>) => async (): Promise<number> => {
    let spent = 0
    for (const id of ids) spent += await measure(await prepare(id))
    return spent / ids.length
  }

const describe = <Name extends string>(samples: Samples<Name, number>, base: NoInfer<Name>): readonly Figure[] =>
  (Object.keys(samples) as Name[]).map((name) => compareTimes(name, samples[name], [base, samples[base]]))

async function compareEdits({ send }: DemoStack, ids: readonly Id[]) {
  const samples = await interleave(rounds, {
    'an action with a form': repeat(
      ids,
      async (id) => () => send(`row-table-action/bird_strikes/write_note/${id}`, { note: newNote() }),
    ),
    'an edit of a cell': repeat(ids, async (id) => () => edit(send, id)),
    'an edit that names its version': repeat(ids, async (id) => {
      const { data } = await send(`row-refetch/bird_strikes/${id}`, { include: ['version'] })
      return () => edit(send, id, { expected_version: data.row._version })
    }),
    'an edit with effects': repeat(ids, async (id) => () => edit(send, id, { include: ['effects'], filters })),
    'an edit, and the page again': repeat(ids, async (id) => async () => {
      await edit(send, id)
      await page(send)
    }),
    'an undo': repeat(ids, async (id) => {
      const { undo } = await edit(send, id)
      return () => send(undo.url.split('/control-tables/')[1], {})
    }),
    'the history of a row': repeat(ids, async (id) => () => send(`history/bird_strikes/${id}`)),
  })
  return describe(samples, 'an action with a form')
}

async function comparePages({ send }: DemoStack, ids: readonly Id[]) {
  const samples = await interleave(rounds, {
    'a page of 20 rows': repeat(ids, async () => () => page(send)),
    'a page with versions': repeat(ids, async () => () => page(send, ['version'])),
    'a page with a selection token': repeat(ids, async () => () => page(send, ['selection'])),
  })
  return describe(samples, 'a page of 20 rows')
}

/** Compares requests that change rows safely, or prepare for it, with plain ones. */
export const acting: Question = {
  id: 'acting',
  asks: 'What do an edit of a cell, versions, effects, an undo, the history and selection tokens add to a request?',
  method: `Requests over HTTP to a stack of its own, as \`npm start\` makes it, one at a time, for ${requests} bird strikes in turn: ${rounds} rounds, alternating, and the median of their means.
What a variant needs beforehand, such as the version or the change that it takes back, is not counted.`,
  measure: () =>
    withDemoStack(async (stack) => {
      const rows =
        await stack.sql`select id from bird_strikes where status = 'open' and not archived order by id limit ${requests}`
      const ids = rows.map(({ id }) => id)
      return [...(await compareEdits(stack, ids)), ...(await comparePages(stack, ids))]
    }),
}
