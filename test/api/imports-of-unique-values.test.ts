import { beforeEach, describe, expect, it } from 'vitest'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'

const work = await startImportApi()
await work.sql`create unique index orders_title on orders (lower(title))`
beforeEach(() => work.reset())

describe('the unique values of an import', () => {
  /** Sends a file with other titles, by the ids of the rows, and applies it. */
  const applyTitles = async (titles: Readonly<Record<number, string>>) => {
    const sent = await work.send(
      await editSheet(await work.exportRows(), (sheet) => {
        for (const [id, title] of Object.entries(titles)) findCell(sheet, 'Title', Number(id) + 1).value = title
      }),
    )
    return (await work.apply(sent)).json
  }
  const readTitles = async (...ids: readonly number[]) =>
    (await work.sql`select title from orders where id = any(${ids}) order by id`).map(({ title }) => title)

  it('are passed on from row to row in both directions, and given back by the undo', async () => {
    const down = { 1: 'Order 2', 2: 'Order 3', 3: 'Order 4', 4: 'Fresh' }
    const up = { 12: 'Order 11', 11: 'Order 10', 10: 'Order 9', 9: 'New' }
    const json = await applyTitles({ ...down, ...up, 6: 'Order 5' })
    expect(json).toMatchObject({ counts: { succeeded: 8, failed: 1 } })
    expect(json.results).toMatchObject([
      { id: 6, code: 'conflicting_data', errors: [expect.stringContaining('already used'), expect.any(String)] },
    ])
    expect(await readTitles(1, 2, 3, 4)).toEqual(Object.values(down))
    expect(await readTitles(12, 11, 10, 9)).toEqual(['New', 'Order 9', 'Order 10', 'Order 11'])
    const undone = await work.post(`undo/orders/${json.change}`, {})
    expect(undone.json.counts).toEqual({ succeeded: 8, failed: 0 })
    expect(await readTitles(1, 4, 9, 12)).toEqual(['Order 1', 'Order 4', 'Order 9', 'Order 12'])
  })

  it('are passed on from the last of more rows than are checked at once', async () => {
    await work.sql`insert into orders (id, tenant, title, state)
      select id, 'north', 'Order ' || id, 'open' from generate_series(1001, 1500) id`
    const edited = await editSheet(await work.exportRows(), (sheet) => {
      for (let row = 2; row <= 513; row++) findCell(sheet, 'Runs', row).value = 7
      findCell(sheet, 'Title', 2).value = 'Order 1500'
      findCell(sheet, 'Title', 513).value = 'Fresh'
    })
    const { json } = await work.apply(await work.send(edited))
    expect(json.counts).toEqual({ succeeded: 512, failed: 0 })
    expect(await readTitles(1, 1500)).toEqual(['Order 1500', 'Fresh'])
    await work.sql`delete from orders where id > 1000`
  })

  it('are refused with how to swap them if two rows swap theirs', async () => {
    const json = await applyTitles({ 1: 'Order 2', 2: 'Order 1', 3: 'Order 4' })
    expect(json.counts).toEqual({ succeeded: 0, failed: 3 })
    expect(json.results.map(({ errors }: { errors: readonly string[] }) => errors)).toEqual([
      [expect.stringMatching(/^Title: .*to swap values/), expect.stringContaining('لتبديل القيم')],
      [expect.stringMatching(/^Title: .*to swap values/), expect.stringContaining('لتبديل القيم')],
      [expect.stringContaining('already used'), expect.stringContaining('مستخدم')],
    ])
    expect(await readTitles(1, 2)).toEqual(['Order 1', 'Order 2'])
  })
})
