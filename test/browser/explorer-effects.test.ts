import { describe, expect, it } from 'vitest'
import { messagesStay, startExplorer, supervisor } from '../support/browser/explorer-page.ts'

const { stack, open: openExplorer } = await startExplorer()

const english = {
  ln: 'en',
  note: 'Note',
  edit: 'Edit Note',
  flag: 'Flag',
  review: 'Mark reviewed',
  assign: 'Assign',
  actions: 'Actions',
  undo: 'Undo',
  next: 'Next page',
  foresee: 'Show what would happen',
  apply: 'Apply these changes',
}
const arabic: typeof english = {
  ln: 'ar',
  note: 'ملاحظة',
  edit: 'تعديل ملاحظة',
  flag: 'تمييز بعلامة',
  review: 'تعيين كمُراجَع',
  assign: 'تكليف',
  actions: 'الإجراءات',
  undo: 'تراجع',
  next: 'الصفحة التالية',
  foresee: 'عرض ما سيحدث',
  apply: 'تطبيق',
}

/** Opens reports by their ids. Live rows are off: they would bring the rows that follow. */
async function open({ ln, actions }: typeof english, view: string) {
  const options = { view: `bird_strikes?ln=${ln}&sort=id&${view}`, isLive: false }
  const explorer = await openExplorer({ script: messagesStay, ...options })
  await explorer.waitForRows()
  const { page, requests, queries, waitForDrawing, waitForRows } = explorer
  const row = (at: number) => page.locator('#rows tbody tr').nth(at)
  return {
    ...explorer,
    row,
    readIds: () => page.locator('#rows tbody th').allInnerTexts(),
    choose: (name: string) => page.locator('.popup').getByRole('button', { name, exact: true }).click(),
    editNote: async (at: number, { edit, note: name }: typeof english, note: string) => {
      await row(at).getByRole('checkbox').focus()
      await row(at).getByRole('button', { name: edit }).click()
      await page.locator('.popup').getByRole('textbox', { name }).fill(note)
      await page.keyboard.press('ControlOrMeta+Enter')
    },
    openActions: () => page.locator('.tools').getByRole('button', { name: actions }).click(),
    /**
     * Makes a change. What is returned tells what it has asked the service for: the kinds of requests, and how many are
     * for rows.
     */
    countRequests: async (change: () => Promise<unknown>) => {
      const sent = requests.length
      const asked = queries.length
      await change()
      await waitForDrawing()
      await waitForRows()
      return () => {
        const kinds = requests.slice(sent).flatMap((path) => path.split('/control-tables/')[1]?.split('/')[0] ?? [])
        return {
          // The page loads its table, notifications and jobs of its own accord as well.
          kinds: kinds.filter(
            (kind) => ['query-table', 'row-refetch', 'undo'].includes(kind) || kind.endsWith('-action'),
          ),
          pages: queries.slice(asked).filter((query) => !('aggregates' in query)).length,
        }
      }
    },
  }
}

describe.each([english, arabic])('rows that an action has changed, in $ln', (words) => {
  it('are replaced where they stand, and only the totals are asked for again', async () => {
    const { page, rowMenu, row, readIds, countRequests } = await open(words, 'total=sum:cost_total')
    const before = await readIds()
    await rowMenu(2)
    const wasOn = await row(2).locator('.boolean.on').count()
    await page.locator('tfoot[aria-busy="false"]').waitFor()
    const asked = await countRequests(async () => {
      await page.locator('.popup').getByRole('switch', { name: words.flag }).click()
      await expect.poll(() => row(2).locator('.boolean.on').count()).toBe(1 - wasOn)
    })
    await expect.poll(asked).toEqual({ kinds: ['row-table-action', 'query-table'], pages: 0 })
    expect(await readIds()).toEqual(before)
  })

  it('leave the page if they no longer match, and the others keep their ticks, the place on the screen and the focus', async () => {
    const explorer = await open(words, 'per=50&f.status=%3D:open')
    const { page, row, rowMenu, choose, readIds, total, countRequests, waitForRows } = explorer
    const before = await readIds()
    const count = await total()
    await row(30).getByRole('checkbox').check()
    await rowMenu(33)
    const readTop = () => page.evaluate<number>('document.getElementById("rows").scrollTop')
    const scrolled = await readTop()
    expect(scrolled).toBeGreaterThan(0)
    const asked = await countRequests(async () => {
      await choose(words.review)
      await expect.poll(readIds).toEqual(before.toSpliced(33, 1))
    })
    await expect.poll(asked).toEqual({ kinds: ['row-table-action'], pages: 0 })
    expect(await row(30).getByRole('checkbox').isChecked()).toBe(true)
    expect(await readTop()).toBe(scrolled)
    await row(33).locator('.row-actions button').and(page.locator(':focus')).waitFor()
    expect(await total()).toBe(count - 1)
    await page.getByRole('button', { name: words.next }).click()
    await expect.poll(async () => (await readIds())[0]).not.toBe(before[0])
    await waitForRows()
    const [next] = await stack.sql()`select id from bird_strikes
      where id > ${Number(before.at(-1))} and status = 'open' and not archived order by id limit 1`
    expect(Number((await readIds())[0])).toBe(Number(next?.['id']))
  })

  it('are left out of a total that is counted apart', async () => {
    const { page, rowMenu, choose, total, waitForRows } = await open(words, 'f.status=%3D:open')
    const count = await total()
    await page.route('**/query-table/**', (route) => {
      const body = route.request().postDataJSON()
      return route.continue({
        postData: JSON.stringify({ ...body, ...(body.count_only !== true && { count: 'none' }) }),
      })
    })
    await page.getByRole('button', { name: words.next }).click()
    await waitForRows()
    await expect.poll(total).toBe(count)
    await rowMenu(2)
    await choose(words.review)
    await expect.poll(total).toBe(count - 1)
  })

  it('leave together, and are no longer ticked', async () => {
    const { page, row, choose, readIds, openActions, countRequests } = await open(words, 'f.status=%3D:open')
    const before = await readIds()
    for (const at of [2, 4, 7]) await row(at).getByRole('checkbox').check()
    await openActions()
    await choose(words.review)
    const asked = await countRequests(async () => {
      await page.getByRole('dialog').getByRole('button', { name: words.review }).click()
      await expect.poll(readIds).toEqual(before.filter((_, at) => ![2, 4, 7].includes(at)))
    })
    await expect.poll(asked).toEqual({ kinds: ['row-bulk-table-action'], pages: 0 })
    await expect.poll(() => page.locator('#rows tbody input:checked').count()).toBe(0)
    await expect.poll(() => page.locator('.selection').count()).toBe(0)
  })

  it('are replaced where they stand by a plan that is applied', async () => {
    const { page, row, choose, readIds, openActions, countRequests } = await open(words, 'page=3')
    const before = await readIds()
    for (const at of [1, 3]) await row(at).getByRole('checkbox').check()
    await openActions()
    await choose(words.assign)
    const form = page.getByRole('dialog')
    const assignee = `planned ${words.ln}`
    await form.getByRole('textbox').fill(assignee)
    await form.getByRole('button', { name: words.foresee }).click()
    await form.getByRole('button', { name: words.apply }).waitFor()
    const asked = await countRequests(async () => {
      await form.getByRole('button', { name: words.apply }).click()
      await expect.poll(() => page.locator('#rows tbody tr', { hasText: assignee }).count()).toBe(2)
    })
    await expect.poll(asked).toEqual({ kinds: ['row-bulk-table-action'], pages: 0 })
    expect(await readIds()).toEqual(before)
  })
})

describe('rows that are changed on a page that the user has left meanwhile', () => {
  it('are not put into the page that is open: it is asked for again', async () => {
    const { page, rowMenu, choose, readIds, waitForRows, countRequests } = await open(english, 'f.status=%3D:open')
    const before = await readIds()
    const answered = Promise.withResolvers<void>()
    await page.route('**/row-table-action/**', (route) => answered.promise.then(() => route.continue()))
    await rowMenu(1)
    await choose(english.review)
    await page.getByRole('button', { name: english.next }).click()
    await expect.poll(async () => (await readIds())[0]).not.toBe(before[0])
    await waitForRows()
    const [first, second] = await readIds()
    const asked = await countRequests(async () => {
      answered.resolve()
      await expect.poll(async () => (await readIds())[0]).toBe(second)
    })
    await expect.poll(asked).toEqual({ kinds: ['query-table'], pages: 1 })
    expect(await readIds()).not.toContain(first)
  })
})

describe.each([english, arabic])('a row that the user edits, in $ln', (words) => {
  it('is replaced where it stands, by an undo as well', async () => {
    const { page, row, readIds, editNote, countRequests } = await open(words, 'page=5')
    const before = await readIds()
    const readOwn = () => row(5).filter({ hasText: 'noted' }).count()
    const edited = await countRequests(async () => {
      await editNote(5, words, 'noted')
      await expect.poll(readOwn).toBe(1)
    })
    await expect.poll(edited).toEqual({ kinds: ['row-refetch', 'row-table-action'], pages: 0 })
    const undone = await countRequests(async () => {
      await page.locator('.message').last().getByRole('button', { name: words.undo }).click()
      await expect.poll(readOwn).toBe(0)
    })
    await expect.poll(undone).toEqual({ kinds: ['undo'], pages: 0 })
    expect(await readIds()).toEqual(before)
  })

  it('leaves the page if it no longer matches the search, and comes back to its place by an undo', async () => {
    const word = `plover${words.ln}`
    await stack.sql()`update bird_strikes set note = ${word} where id between 101 and 105`
    const { page, row, total, readIds, editNote, countRequests } = await open(words, `q=${word}`)
    const before = await readIds()
    expect(before).toEqual(['101', '102', '103', '104', '105'])
    const edited = await countRequests(async () => {
      await editNote(1, words, 'another')
      await expect.poll(readIds).toEqual(before.toSpliced(1, 1))
    })
    await expect.poll(edited).toEqual({ kinds: ['row-refetch', 'row-table-action'], pages: 0 })
    expect(await total()).toBe(4)
    await row(1).locator('.row-actions button').and(page.locator(':focus')).waitFor()
    await page.locator('.message').last().getByRole('button', { name: words.undo }).click()
    await expect.poll(readIds).toEqual(before)
    expect(await total()).toBe(5)
  })
})

describe('all rows that match but some', () => {
  it('are counted without the row that has left by an action of its own, and anew where others have left', async () => {
    const view = 'f.status=%3D:open&f.origin_state=%3D:Ohio'
    const { page, row, rowMenu, choose, total, openActions, readIds } = await open(english, view)
    const count = await total()
    const number = (value: number) => value.toLocaleString('en')
    await row(1).getByRole('checkbox').check()
    await page.getByRole('button', { name: /^Select all [\d,]+ that match/ }).click()
    await row(1).getByRole('checkbox').uncheck()
    await row(2).getByRole('checkbox').uncheck()
    await rowMenu(1)
    await choose(english.review)
    await page.getByText(`All ${number(count - 1)} rows that match but 1 are selected`, { exact: true }).waitFor()
    await openActions()
    await choose('Recompute risk')
    const dialog = page.getByRole('dialog', { name: 'Recompute risk' })
    const run = dialog.getByRole('button', { name: 'Recompute risk' })
    await dialog.getByText(`This concerns ${number(count - 2)} rows`).waitFor()
    const [archived] = (await readIds()).slice(-1)
    const as = { ...supervisor, sub: 'colleague' }
    const { status } = await stack.call(`row-table-action/bird_strikes/archive/${archived}`, { as, body: {} })
    expect(status).toBe(200)
    await run.click()
    await dialog.getByText(`This concerns ${number(count - 3)} rows`).waitFor()
    await run.click()
    await dialog.waitFor({ state: 'detached' })
  })
})

describe('what was taken back', () => {
  it('cannot be done again after another change, even if that offers no undo', async () => {
    const { page, row, rowMenu, editNote } = await open(english, 'f.status=%3D:open')
    const isRedone = () =>
      page.evaluate(`!document.getElementById('rows').dispatchEvent(new KeyboardEvent('keydown', {
        key: 'Z', code: 'KeyZ', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true
      }))`)
    await editNote(0, english, 'taken back')
    await page.locator('.message').getByRole('button', { name: 'Undo' }).waitFor()
    await row(0).getByRole('checkbox').press('Control+z')
    await page.locator('.message').getByRole('button', { name: 'Redo' }).waitFor()
    const wasOn = await row(1).locator('.boolean.on').count()
    await (await rowMenu(1)).getByRole('switch', { name: english.flag }).click()
    await expect.poll(() => row(1).locator('.boolean.on').count()).toBe(1 - wasOn)
    expect(await isRedone()).toBe(false)
  })
})
