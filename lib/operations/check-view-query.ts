import { listOptions } from '../errors/field-fault.ts'
import { allReadable, RequestError, validationFailed } from '../errors/request-error.ts'
import { selectionFault } from '../errors/selection-fault.ts'
import type { Bilingual } from '../i18n/language.ts'
import { loadPlanExtensions } from '../query/load-plan-extensions.ts'
import { type Plan, planRows, type Warning } from '../query/plan.ts'
import { selectionKeys } from '../table/action-key.ts'
import type { TableView } from '../table/view.ts'
import type { partKeys } from './item-context.ts'
import { readItemShape } from './item-shape.ts'
import { planPageParts } from './page-parts.ts'
import { ownValue, type TableRequest, type UnknownBody } from './table-request.ts'

/**
 * The keys of a view that select rows and their order, as the body of an action has them. An opened group is no part of
 * a view.
 */
export const viewRowKeys: readonly string[] = ['filters', ...selectionKeys, 'sorts', 'columns'].filter(
  (key) => key !== 'group',
)

/** The keys of a view that only a page reads. */
export const pagePartKeys = ['aggregates', 'group_by'] as const satisfies readonly (typeof partKeys)[number][]

const knownKeys = [...viewRowKeys, 'per_page', ...pagePartKeys]

/**
 * Throws `validation_failed` for a key that no view of this version has, which a later version may have saved: without
 * it, the view would select other rows.
 */
export function assertKnownKeys(query: UnknownBody, path: string): void {
  const unknown = Object.keys(query).find((key) => !knownKeys.includes(key))
  if (unknown !== undefined)
    throw validationFailed({ [`${path}.${unknown.slice(0, maxKeyLength)}`]: [listOptions(knownKeys)] })
}

const maxKeyLength = 100

/**
 * Checks the query of a view against what the caller may see now. Throws `validation_failed` naming each key behind
 * `path`, also for filters and sorts that a request would leave out with a warning.
 */
export async function checkViewQuery(request: TableRequest, query: UnknownBody, path: string): Promise<void> {
  try {
    await planQuery(request, query)
  } catch (error) {
    if (!(error instanceof RequestError) || error.fields === undefined) throw error
    const fields = Object.entries(error.fields).map(([key, faults]) => [`${path}.${key}`, faults] as const)
    throw validationFailed(Object.fromEntries(fields))
  }
}

/** Returns whether the caller may see all that a view uses, and all of it still exists. */
export async function isUsable(request: TableRequest, query: UnknownBody): Promise<boolean> {
  try {
    assertKnownKeys(query, 'query')
    await planQuery(request, query)
    return true
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return false
    throw error
  }
}

async function planQuery(request: TableRequest, query: UnknownBody): Promise<void> {
  const { view, context } = request
  const extensions = await loadPlanExtensions(request, query, request.config.SERVICE_SECRET)
  const asked = { filters: ownValue(query, 'filters'), sorts: ownValue(query, 'sorts'), extensions }
  const readShape = await readItemShape({ ...request, body: query })
  allReadable([
    () => assertNothingUnknown(request, planRows(view, asked, context.timeZone)),
    () => readShape(context),
    () => planPageParts({ ...request, body: query }, asked),
  ])
}

function assertNothingUnknown({ view }: TableRequest, { warnings }: Plan): void {
  const unknown = findUnknown(view, warnings)
  if (unknown.length > 0) throw validationFailed(Object.fromEntries(unknown))
}

/** Returns the filters and sorts that a page leaves out with a warning, as the faults of a request that must not. */
export const findUnknown = (
  view: TableView,
  warnings: readonly Warning[],
): readonly (readonly [path: string, faults: readonly Bilingual[]])[] =>
  warnings.flatMap(({ code, field }): readonly (readonly [string, readonly Bilingual[]])[] => {
    if (code === 'unknown_filter') return [[`filters.${field}`, [selectionFault('no_filter')]]]
    return code === 'unknown_sort' ? [[`sorts.${field}`, [listOptions(view.sortables)]]] : []
  })
