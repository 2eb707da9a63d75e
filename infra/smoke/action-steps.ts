import { encodePathId } from '../../lib/rows/row-id.ts'
import { refetch, type TableWithRow } from './reading-steps.ts'
import { callPassing, callService, endpointPath, expectStatus, readBody, type SmokeTarget } from './service-call.ts'
import { StepFailure, StepSkipped } from './step-failure.ts'
import type { Steps } from './steps.ts'
import { dryRun } from './wire.ts'

/** An action that the operator names: a toggle, which is run twice so that the row ends as it was. */
export interface NamedToggle {
  readonly table: string
  readonly action: string
}

/** Whether a bulk action of a table is an export, which changes no row; the structure does not tell. */
export type IsExport = (table: string, action: string) => boolean

const failing = { likely: 'The function of the action cannot work', fix: 'RUNBOOK.md, "Requests fail"' }

/**
 * Tries the actions that change nothing, on one row: one that shows it, a dry run, a toggle forth and back, an export.
 */
export async function takeActionSteps(
  steps: Steps,
  target: SmokeTarget,
  tables: readonly TableWithRow[] | undefined,
  { toggle, isExport }: { readonly toggle: NamedToggle | undefined; readonly isExport: IsExport },
): Promise<void> {
  await takeShowing(steps, target, tables)
  await takeDryRun(steps, target, tables)
  await takeToggle(steps, target, tables, toggle)
  await takeUndefinedAction(steps, target, tables?.[0])
  await takeExport(steps, target, tables, isExport)
}

/** Finds the first table that offers something to try. Throws `StepSkipped` where none does. */
export function findFirst<Found>(
  tables: readonly TableWithRow[],
  find: (one: TableWithRow) => Found | undefined,
  missing: string,
): TableWithRow & { readonly found: Found } {
  for (const one of tables) {
    const found = find(one)
    if (found !== undefined) return { ...one, found }
  }
  throw new StepSkipped(missing)
}

/** Finds the first row action without a form. Throws `StepSkipped` where no table has one. */
const findRowAction = (
  tables: readonly TableWithRow[],
  matches: (action: TableWithRow['table']['rowActions'][string]) => boolean,
  missing: string,
) =>
  findFirst(
    tables,
    ({ table }) =>
      Object.values(table.rowActions).find((action) => action.payload_keys.length === 0 && matches(action)),
    missing,
  )

const rowPath = (target: SmokeTarget, { table, row }: TableWithRow, action: string) =>
  `${endpointPath(target, 'row-table-action', table.tableName, action)}/${encodePathId(String(row.id))}`

function takeShowing(steps: Steps, target: SmokeTarget, given: readonly TableWithRow[] | undefined) {
  return steps.take({
    name: 'row action that shows the row',
    advice: failing,
    given,
    run: async (tables) => {
      const chosen = findRowAction(
        tables,
        ({ onSuccess }) => onSuccess === 'DisplayOnModal',
        'no table has an action that only shows its row',
      )
      const { table, found } = chosen
      await callPassing(target, rowPath(target, chosen, found.action_key), { body: {} })
      return { seen: true, detail: `${table.tableName}/${found.action_key} on ${chosen.row.id}` }
    },
  })
}

function takeDryRun(steps: Steps, target: SmokeTarget, given: readonly TableWithRow[] | undefined) {
  return steps.take({
    name: 'row action as a dry run',
    advice: failing,
    given,
    run: async (tables) => {
      const chosen = findRowAction(
        tables,
        ({ applicableAsBulkAction }) => applicableAsBulkAction,
        'no table has a row action for several rows without a form',
      )
      const { table, row, found } = chosen
      const path = endpointPath(target, 'row-bulk-table-action', table.tableName, found.action_key)
      const response = await callPassing(target, path, { body: { selected_ids: [row.id], dry_run: true } })
      const { succeeded } = readBody(dryRun, response).counts
      return { seen: true, detail: `${table.tableName}/${found.action_key} would run on ${succeeded} of 1 row` }
    },
  })
}

function takeToggle(
  steps: Steps,
  target: SmokeTarget,
  given: readonly TableWithRow[] | undefined,
  toggle: NamedToggle | undefined,
) {
  return steps.take({
    name: 'row action that changes a row, and changes it back',
    advice: failing,
    given,
    run: async (tables) => {
      if (toggle === undefined) throw new StepSkipped('name a toggle by --toggle <table>/<action>')
      const chosen = tables.find(({ table }) => table.tableName === toggle.table)
      const action = chosen?.table.rowActions[toggle.action]
      if (chosen === undefined || action?.action_type !== 'toggle' || action.payload_keys.length > 0)
        throw new StepFailure(
          `${toggle.table}/${toggle.action} is not a toggle without a form, or this caller may not run it`,
          {
            likely: 'Only a toggle is known to restore its row when it is run twice',
            fix: 'Name another one, or leave --toggle out',
          },
        )
      const run = () => callPassing(target, rowPath(target, chosen, toggle.action), { body: {} })
      const cells = async () => JSON.stringify(await refetch(target, chosen))
      const before = await cells()
      await run()
      const changed = await cells()
      await run()
      if (changed === before) throw new StepFailure(`${toggle.action} changed nothing of row ${chosen.row.id}`, failing)
      if ((await cells()) !== before)
        throw new StepFailure(
          `row ${chosen.row.id} of ${toggle.table} is not as it was before ${toggle.action} twice`,
          {
            likely: 'The toggle does more than it says, or another user changed the row meanwhile',
            fix: 'Look at the row, and name another toggle',
          },
        )
      return { seen: true, detail: `${toggle.table}/${toggle.action} twice on ${chosen.row.id}` }
    },
  })
}

function takeUndefinedAction(steps: Steps, target: SmokeTarget, given: TableWithRow | undefined) {
  return steps.take({
    name: 'refusal of an unknown action',
    advice: failing,
    given,
    run: async (one) => {
      const response = await callService(target, rowPath(target, one, 'smoke_no_such_action'), { body: {} })
      expectStatus(response, 422, 'action_not_defined')
      return { seen: true, detail: '422 action_not_defined' }
    },
  })
}

/** The type by which a client asks for the file in place of a link; any file type serves for any export. */
const fileTypes = 'text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

function takeExport(steps: Steps, target: SmokeTarget, given: readonly TableWithRow[] | undefined, isExport: IsExport) {
  return steps.take({
    name: 'export of one row as a file',
    advice: { likely: 'bulk-table-action cannot write a file', fix: 'RUNBOOK.md, "Requests fail"' },
    given,
    run: async (tables) => {
      const { table, row, found } = findFirst(
        tables,
        ({ table }) => findExport(table, 'instant', isExport),
        'no table has an instant export',
      )
      const path = endpointPath(target, 'bulk-table-action', table.tableName, found)
      const body = { selected_ids: [row.id], expected_count: 1 }
      const response = await callPassing(target, path, { body, headers: { accept: fileTypes } })
      const disposition = response.headers.get('content-disposition')
      if (!disposition?.startsWith('attachment') || response.bytes.length === 0)
        throw new StepFailure(`${response.url} returned no file but ${response.headers.get('content-type')}`)
      return { seen: true, detail: `${table.tableName}/${found}: ${response.bytes.length} bytes` }
    },
  })
}

/** The key of a table's first export with this response. */
export const findExport = (
  { tableName, bulkActions }: TableWithRow['table'],
  response: 'instant' | 'email' | 'websocket',
  isExport: IsExport,
): string | undefined =>
  bulkActions.find(({ action_key, action_response }) => action_response === response && isExport(tableName, action_key))
    ?.action_key
