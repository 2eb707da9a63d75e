import type { Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { jsonTextValue } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { toRowId } from '../rows/row-id.ts'
import type { OpenedTable } from '../table/open-table.ts'
import type { TableView } from '../table/view.ts'
import type { ActionTarget } from './action-rows.ts'
import { type BulkWork, runChunk } from './run-chunk.ts'

/** Runs an action on the rows with these keys and returns those that it has not refused. */
export type TryAction = (keys: readonly string[]) => Promise<readonly string[]>

type Item = Readonly<Record<string, unknown>>

/** A row as it is, and as an action would leave it. */
interface SampledRow {
  readonly id: string | number
  readonly before: object | null
  readonly after: object | null
  /** The sensitive columns whose cells differ. */
  readonly redacted?: readonly string[]
}

/** The rows on which an action was tried, or why it was not. */
export interface PlanSample {
  readonly sample: readonly SampledRow[]
  readonly sample_omitted?: string
}

/** The most rows of a sample. */
const maxSamples = 20

/** The most bytes of a sample in a response, which has room for the refused rows beside it. */
export const maxSampleBytes = 1_000_000
/** The most bytes of a sample in the stored result of a job. The sweep removes the sample after a day. */
export const maxKeptSampleBytes = 60_000

/** Tries an action on the first of these rows, and undoes it. Cells of sensitive columns are left out. */
export async function tryAction(
  opened: OpenedTable,
  { run }: Pick<Transaction, 'run'>,
  keys: readonly string[],
  attempt: ((keys: readonly string[]) => Promise<readonly string[]>) | undefined,
): Promise<PlanSample> {
  if (attempt === undefined) return { sample: [], sample_omitted: 'not_previewable' }
  const tried = keys.slice(0, maxSamples)
  const read = async (some: readonly string[]): Promise<readonly (Item | null)[]> =>
    (await readItems({ read: run }, opened, some)).map((item) =>
      item === undefined ? null : JSON.parse(jsonTextValue(item)),
    )
  const before = await read(tried)
  await run('savepoint preview', [])
  try {
    const changed = await attempt(tried)
    const after = await read(changed)
    const sample = changed.map((key, index) => ({
      id: toRowId(opened.view.table.key, key),
      ...redact(opened.view, before[tried.indexOf(key)] ?? null, after[index] ?? null),
    }))
    return { sample }
  } catch (error) {
    if (!(error instanceof RequestError) || error.status >= 500) throw error
    return { sample: [], sample_omitted: error.code }
  } finally {
    await run('rollback to savepoint preview', [])
  }
}

/** Tries a bulk action. */
export const tryBulk =
  (transaction: Transaction, target: ActionTarget, definition: BulkWork, input: unknown): TryAction =>
  async (keys) => {
    const { failed } = await runChunk(transaction, target, definition, keys, input)
    const refused = new Set(failed.map(([key]) => key))
    return keys.filter((key) => !refused.has(key))
  }

/** Returns the first rows of a sample that have no more bytes together. */
export function shortenSample({ sample, ...rest }: PlanSample, maxBytes: number): PlanSample {
  let bytes = 0
  const short = sample.filter((row) => {
    bytes += Buffer.byteLength(JSON.stringify(row))
    return bytes <= maxBytes
  })
  return short.length === 0 && sample.length > 0
    ? { sample: [], sample_omitted: 'too_large' }
    : { sample: short, ...rest }
}

/** Leaves out the cells of sensitive columns, and names those that differ. */
function redact({ columns }: TableView, before: Item | null, after: Item | null): Omit<SampledRow, 'id'> {
  const sensitive = columns.flatMap(({ key, definition }) => (definition.sensitive === true ? [key] : []))
  if (sensitive.length === 0) return { before, after }
  const hidden = new Set(sensitive)
  const show = (item: Item | null) =>
    item && Object.fromEntries(Object.entries(item).filter(([key]) => !hidden.has(key)))
  const redacted = sensitive.filter((key) => JSON.stringify(before?.[key]) !== JSON.stringify(after?.[key]))
  return { before: show(before), after: show(after), ...(redacted.length > 0 && { redacted }) }
}
