import exceljs from 'exceljs'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { messagesStay, startExplorer, supervisor } from '../support/browser/explorer-page.ts'
import { pageViolations } from '../support/browser/page-violations.ts'

const { stack, open: openExplorer } = await startExplorer()

const english = {
  ln: 'en',
  colorScheme: 'light' as 'light' | 'dark',
  viewport: { width: 1360, height: 820 },
  assignee: 'Assignee',
  actions: 'Actions',
  tick: 'Excel files can be edited and sent back',
  choose: 'Send an edited file back …',
  excel: 'Export Excel',
  apply: 'Change 1 cell',
  undo: 'Undo',
  conflict: 'Not changed, because',
  refused: 'Cannot be changed: 1',
  again: 'Send it again',
  expired: 'it may have expired',
  close: 'Close',
  gone: 'Edited file: strikes.xlsx',
}
const arabic: typeof english = {
  ln: 'ar',
  colorScheme: 'dark' as 'light' | 'dark',
  viewport: { width: 390, height: 800 },
  assignee: 'المكلَّف',
  actions: 'الإجراءات',
  tick: 'ملفات Excel يمكن تعديلها وإعادة إرسالها',
  choose: 'إرسال ملف معدَّل …',
  excel: 'تصدير إلى Excel',
  apply: 'تغيير خلية واحدة',
  undo: 'تراجع',
  conflict: 'يُترك كما هو',
  refused: 'ما لا يمكن تغييره: 1',
  again: 'إرساله مرة أخرى',
  expired: 'ربما انتهت صلاحيته',
  close: 'إغلاق',
  gone: 'الملف المعدَّل: strikes.xlsx',
}
type Words = typeof english

const open = ({ ln, viewport, colorScheme }: Words, rest = '') =>
  openExplorer({
    view: `bird_strikes?ln=${ln}&sort=id${rest}`,
    viewport,
    colorScheme,
    isLive: false,
    script: messagesStay,
  })

const openActions = async (page: Page, { actions }: Words): Promise<Locator> => {
  await page.locator('.tools').getByRole('button', { name: actions }).click()
  return page.locator('.popup')
}

/** Exports the rows of the page as a user does, and changes the assignees of rows by their ids. */
async function exportEdited(
  page: Page,
  words: Words,
  edits: Readonly<Record<number, exceljs.CellValue>>,
): Promise<Buffer> {
  await page.locator('thead').getByRole('checkbox').check()
  const menu = await openActions(page, words)
  await menu.getByRole('checkbox', { name: words.tick }).check()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    menu.getByRole('button', { name: words.excel, exact: true }).click(),
  ])
  const book = new exceljs.Workbook()
  await book.xlsx.readFile(await download.path())
  const [sheet] = book.worksheets
  if (sheet === undefined) throw new Error('the file has no sheet')
  const heads = (sheet.getRow(1).values as unknown[]).map(String)
  const [id, assignee] = [heads.indexOf('ID'), heads.indexOf(words.assignee)].map((at) => (at > 0 ? at : 1))
  sheet.eachRow((row) => {
    const edit = edits[Number(row.getCell(id ?? 1).value)]
    if (edit !== undefined) row.getCell(assignee ?? 1).value = edit
  })
  return Buffer.from(await book.xlsx.writeBuffer())
}

const nameFile = (buffer: Buffer, name = 'strikes.xlsx') => ({ name, mimeType: 'application/octet-stream', buffer })

async function sendBack(page: Page, words: Words, file: ReturnType<typeof nameFile>): Promise<Locator> {
  const menu = await openActions(page, words)
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    menu.getByRole('button', { name: words.choose }).press('Enter'),
  ])
  await chooser.setFiles(file)
  return page.getByRole('dialog', { name: file.name })
}

const setAssignee = (id: number, assignee: string) =>
  stack.sql()`update bird_strikes set assignee = ${assignee} where id = ${id}`
const readAssignee = async (id: number) =>
  (await stack.sql()`select assignee from bird_strikes where id = ${id}`)[0]?.['assignee']

/** The words above and beside cells that take more than one line. */
const brokenWords = `[...document.querySelectorAll('.sample th, .sample td:nth-child(2)')].flatMap((cell) => {
  const range = document.createRange()
  range.selectNodeContents(cell)
  const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
  return lines.size > 1 && !cell.textContent.includes(' ') ? [cell.textContent] : []
})`

describe.each([english, arabic])('an edited file, in $ln', (words) => {
  it('shows its changes, applies only those, and can be undone', async () => {
    const ids = words.ln === 'en' ? [1, 2, 3] : [4, 5, 6]
    const [changed = 0, conflicting = 0, refused = 0] = ids
    for (const id of ids) await setAssignee(id, 'before')
    const { page, waitForRows, cells, shot, complaints, queries } = await open(words)
    await waitForRows()
    const file = await exportEdited(page, words, {
      [changed]: 'from the file',
      [conflicting]: 'mine',
      [refused]: { formula: '1+1', result: 2 },
    })
    await setAssignee(conflicting, 'theirs')
    const dialog = await sendBack(page, words, nameFile(file))
    const apply = dialog.getByRole('button', { name: words.apply })
    await apply.waitFor()
    await dialog.getByText(words.conflict).waitFor()
    await dialog.getByText(words.refused).waitFor()
    await expect.poll(() => dialog.locator('ins').allInnerTexts()).toEqual(['from the file'])
    await expect.poll(() => dialog.locator('del').allInnerTexts()).toEqual(['before'])
    expect(await pageViolations(page, '.modal')).toEqual([])
    expect(await page.evaluate(brokenWords)).toEqual([])
    await shot(`import-${words.ln}`)
    expect(await readAssignee(changed)).toBe('before')
    const asked = queries.length
    await apply.press('Enter')
    await expect.poll(async () => (await cells(words.assignee))[changed - 1]?.trim()).toBe('from the file')
    expect(await readAssignee(conflicting)).toBe('theirs')
    await page.locator('.message').last().getByRole('button', { name: words.undo }).click()
    await expect.poll(() => readAssignee(changed)).toBe('before')
    await expect.poll(async () => (await cells(words.assignee))[changed - 1]?.trim()).toBe('before')
    // The effects of both are shown: no page was asked for.
    expect(queries.length).toBe(asked)
    expect(complaints).toEqual([])
  })

  it('says what to do if its plan has expired, and is sent again', async () => {
    await setAssignee(8, 'before')
    const { page, waitForRows } = await open(words)
    await waitForRows()
    const dialog = await sendBack(page, words, nameFile(await exportEdited(page, words, { 8: 'later' })))
    const apply = dialog.getByRole('button', { name: words.apply })
    await apply.waitFor()
    await stack.sql()`delete from table_control.imports`
    await apply.click()
    await dialog.getByRole('alert').getByText(words.expired).waitFor()
    await dialog.getByRole('button', { name: words.again }).click()
    await dialog.getByRole('alert').waitFor({ state: 'detached' })
    await apply.click()
    await expect.poll(() => readAssignee(8)).toBe('later')
  })
})

describe('a file whose dialog is closed while it is applied', () => {
  it('says what failed', async () => {
    await setAssignee(9, 'before')
    const { page, waitForRows } = await open(english)
    await waitForRows()
    const dialog = await sendBack(page, english, nameFile(await exportEdited(page, english, { 9: 'later' })))
    await dialog.getByRole('button', { name: english.apply }).waitFor()
    await stack.sql()`delete from table_control.imports`
    const answered = Promise.withResolvers<void>()
    await page.route('**/imports/**', (route) => answered.promise.then(() => route.continue()))
    await dialog.getByRole('button', { name: english.apply }).click()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    answered.resolve()
    await page.locator('.message.danger', { hasText: 'strikes.xlsx: ' }).waitFor()
    expect(await readAssignee(9)).toBe('before')
  })
})

describe('a file that is sent back', () => {
  it('goes to an address that the log of requests does not show', async () => {
    const { page, waitForRows, button } = await open(english)
    await waitForRows()
    const [upload, dialog] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'PUT'),
      exportEdited(page, english, { 11: 'later' }).then((file) => sendBack(page, english, nameFile(file))),
    ])
    expect(upload.url()).toContain('X-Amz-Signature')
    await dialog.getByRole('button', { name: english.apply }).waitFor()
    await page.keyboard.press('Escape')
    await button('Requests').click()
    const entries = page.locator('.request')
    await entries.filter({ hasText: '/imports/' }).first().waitFor()
    expect((await entries.allTextContents()).join()).not.toMatch(/PUT|X-Amz/)
  })
})

describe('a file that cannot be sent back', () => {
  it.each([
    ['is no workbook', nameFile(Buffer.from([1, 2, 3, 0, 255]), 'photo.xlsx'), /neither a workbook/],
    ['is a CSV file of a table without a unique column', nameFile(Buffer.from('ID,Note\n1,x\n'), 'rows.csv'), /CSV/],
    ['is empty', nameFile(Buffer.alloc(0)), /The file is empty/],
    ['is too large', nameFile(Buffer.alloc(20 * 1024 * 1024 + 1)), /larger than 20 MB/],
  ])('says so where it %s', async (_, file, text) => {
    const { page, waitForRows } = await open(english)
    await waitForRows()
    const dialog = await sendBack(page, english, file)
    await dialog.getByRole('alert').getByText(text).waitFor()
    await dialog.getByText('To get such a file').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })
})

describe('a file that is dropped on the page', () => {
  const drop = (page: Page, kind: 'dragover' | 'drop') =>
    page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['text'], 'dropped.txt'))
      const event = new DragEvent('${kind}', { dataTransfer, bubbles: true, cancelable: true })
      document.querySelector('#rows').dispatchEvent(event)
      return event.defaultPrevented
    })()`)

  it('is sent back, and the page says so before it is dropped', async () => {
    const { page, waitForRows, shot } = await open(english)
    await waitForRows()
    await expect.poll(() => drop(page, 'dragover')).toBe(true)
    await page.getByText('Drop the file to see what it would change').waitFor()
    await shot('import-drop')
    await drop(page, 'drop')
    const dialog = page.getByRole('dialog', { name: 'dropped.txt' })
    await dialog.getByRole('alert').waitFor()
  })

  it('is ignored if no column can be edited, and no export is offered for it', async () => {
    const { page, waitForRows } = await openExplorer({ view: 'flights?ln=en', as: supervisor })
    await waitForRows()
    const menu = await openActions(page, english)
    await menu.getByRole('button').first().waitFor()
    expect(await menu.getByRole('button', { name: english.choose }).count()).toBe(0)
    expect(await menu.getByRole('checkbox').count()).toBe(0)
    await page.keyboard.press('Escape')
    expect(await drop(page, 'drop')).toBe(false)
  })
})
