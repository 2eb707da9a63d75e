import exceljs from 'exceljs'
import { eventually } from '../../support/run/patience.ts'
import { type DemoStack, withDemoStack } from '../demo-stack.ts'
import { compareTimes, type Figure, type Question } from '../figure.ts'
import { interleave, measure, median } from '../rounds.ts'

const rounds = 15
const importRounds = 5
const plannedRows = 1_000
const importedRows = 5_000
const editedColumns = ['Assignee', 'Note']

async function compareApply({ sql, send }: DemoStack): Promise<Figure> {
  const rows = await sql`select id from bird_strikes where not archived order by id limit ${plannedRows}`
  const selected_ids = rows.map(({ id }) => id)
  const path = 'row-bulk-table-action/bird_strikes/mark_reviewed'
  const reopen = async () => {
    await sql`update bird_strikes set status = 'open', reviewed_at = null where id in ${sql(selected_ids)}`
    await sql`vacuum analyze bird_strikes`
  }
  const act = async (body: object) => {
    const began = performance.now()
    const { counts } = await send(path, body)
    if (counts.succeeded !== plannedRows) throw new Error(JSON.stringify(counts))
    return performance.now() - began
  }
  const { plain, applied } = await interleave(rounds, {
    plain: async () => {
      await reopen()
      return act({ selected_ids })
    },
    applied: async () => {
      await reopen()
      const { plan } = await send(path, { plan: true, selected_ids })
      return act({ plan_id: plan.id })
    },
  })
  const name = `a plan of ${plannedRows} rows applied, beside the action at once`
  return compareTimes(name, applied, ['plain', plain], { most: 1.3 })
}

/** The export of all rows as it arrives by e-mail: an instant export holds fewer. */
async function readExport({ send, readMail }: DemoStack): Promise<ArrayBuffer> {
  const { job } = await send('bulk-table-action/bird_strikes/email_report', { round_trip: true })
  const mail = await eventually(() => readMail(job.id))
  const [file] = mail.attachments
  if (!(file?.content instanceof ArrayBuffer)) throw new Error('the mail has no file')
  return file.content
}

/** The export with two edited cells in many rows. */
async function editExport(stack: DemoStack, text: string): Promise<Buffer> {
  const book = new exceljs.Workbook()
  await book.xlsx.load(await readExport(stack))
  const [sheet] = book.worksheets
  const headers = sheet?.getRow(1).values as readonly unknown[]
  for (let row = 2; row < importedRows + 2; row++)
    for (const column of editedColumns) {
      const cell = sheet?.getRow(row).getCell(headers.indexOf(column))
      if (cell !== undefined) cell.value = `${text} ${row}`
    }
  return Buffer.from(await book.xlsx.writeBuffer())
}

async function importOnce(stack: DemoStack, round: number) {
  const { send } = stack
  const bytes = await editExport(stack, `round ${round}`)
  const begun = await send('imports/bird_strikes', { bytes: bytes.length })
  const { url, method, headers } = begun.upload
  const stored = await fetch(url, { method, headers, body: new Uint8Array(bytes) })
  if (!stored.ok) throw new Error(await stored.text())
  const path = `imports/bird_strikes/${begun.import.id}`
  const show = () => send(path)
  let planId: unknown
  const planMs = await measure(async () => {
    const plan = await eventually(async () => (await show()).plan)
    if (plan.counts.change !== importedRows * editedColumns.length) throw new Error(JSON.stringify(plan.counts))
    planId = plan.id
  })
  const applyMs = await measure(async () => {
    const { cells } = await send(path, { plan_id: planId })
    if (cells.changed !== importedRows * editedColumns.length) throw new Error(JSON.stringify(cells))
  })
  return { planMs, applyMs }
}

async function measureImports(stack: DemoStack): Promise<readonly Figure[]> {
  const samples: { readonly planMs: number; readonly applyMs: number }[] = []
  for (let round = 0; round < importRounds; round++) samples.push(await importOnce(stack, round))
  const describe = (times: readonly number[]) =>
    `${(median(times) / 1_000).toFixed(2)} s (${(Math.max(...times) / 1_000).toFixed(2)} s at most)`
  const cells = importedRows * editedColumns.length
  return [
    { name: `an import of ${cells} changed cells, planned`, measured: describe(samples.map(({ planMs }) => planMs)) },
    { name: `the same ${cells} cells, applied`, measured: describe(samples.map(({ applyMs }) => applyMs)) },
  ]
}

/** The cost of a look before a change, and the time of a file that comes back. */
export const plannedChanges: Question = {
  id: 'changes',
  asks: 'What does an applied plan cost beside its plain action, and how long does an import of 10,000 cells take?',
  method: `Requests over HTTP to a stack of its own, as \`npm start\` makes it. \`mark_reviewed\` of ${plannedRows} bird strikes, ${rounds} rounds, alternating; the rows are
open again before each, and the time of the plan is not counted. The import has two changed cells in ${importedRows} of 10,000 exported rows, ${importRounds} times; planning begins when the file
is uploaded and ends when the caller is shown the plan.`,
  measure: () => withDemoStack(async (stack) => [await compareApply(stack), ...(await measureImports(stack))]),
}
