import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { readWhole, truths, uuid } from '../query/read-value.ts'
import { findReadableView, listReadableViews, type SavedView } from '../storage/saved-views.ts'
import { formKeys } from '../table/action-entry.ts'
import type { AnyBulkAction } from '../table/compiled-table.ts'
import { assertKnownKeys, checkViewQuery, isUsable, pagePartKeys, viewRowKeys } from './check-view-query.ts'
import { presentQuery } from './present-names.ts'
import { createReader, viewEntry } from './saved-view-entry.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/**
 * Fills the body of a bulk action from the view that it names, as `applyView` does. `view_revision` is required: the
 * action must not run on other rows than its caller saw. A file gets no column of actions.
 */
export async function applyViewToAction(
  request: TableRequest,
  definition: AnyBulkAction,
  kind: 'bulk' | 'export',
): Promise<TableRequest> {
  if ((ownValue(request.body, 'view_revision') ?? undefined) === undefined)
    throw validationFailed({ view_revision: [fieldFault('required')] })
  const asked = await applyView(request, formKeys(definition))
  if (kind === 'bulk' || Object.hasOwn(request.body, 'columns')) return asked
  return { ...asked, body: { ...asked.body, columns: fileColumns(request, ownValue(asked.body, 'columns')) } }
}

/**
 * Fills the body of a page, or with `formFields` that of an action, from the view that it names. A key of the body
 * replaces the view's, and `[]` clears it. Throws `view_not_found` for a view that the caller may not read, and
 * `view_changed` if `view_revision` is another.
 */
export async function applyView(
  request: TableRequest,
  formFields?: readonly string[],
): Promise<TableRequest & Required<Pick<TableRequest, 'savedView'>>> {
  const { body } = request
  const isPage = formFields === undefined
  const keys = isPage ? [...viewRowKeys, ...pagePartKeys] : viewRowKeys
  const expected = ownValue(body, 'view_revision') ?? undefined
  const view = await findView(request)
  if (expected !== undefined && readWhole(expected, 1, maxRevision, 'view_revision') !== view.revision)
    throw new RequestError('view_changed')
  const hidden = [...Object.keys(view.query), 'view_revision'].find((key) => formFields?.includes(key))
  if (hidden !== undefined) throw validationFailed({ view: [fieldOfForm(hidden)] })
  const used = Object.entries(view.query).filter(([key]) => keys.includes(key) && !Object.hasOwn(body, key))
  await checkViewQuery(request, Object.fromEntries(used), 'view')
  const size = isPage && !Object.hasOwn(body, 'perPage') ? ownValue(view.query, 'per_page') : undefined
  const own = Object.entries(body).filter(
    ([key, value]) => !viewOnly.has(key) && !(keys.includes(key) && isEmptyList(value)),
  )
  const filled = {
    ...Object.fromEntries([...used, ...own]),
    ...(size !== undefined && { perPage: Math.min(Number(size), request.table.maxPerPage) }),
  }
  return {
    ...request,
    body: filled,
    sentBody: request.sentBody ?? body,
    savedView: { id: view.id, revision: view.revision },
  }
}

/** The columns of a view that a file can have: not that of the actions, which a page may show. */
function fileColumns({ view }: TableRequest, columns: unknown): readonly unknown[] {
  const known = new Set<unknown>(view.columns.filter(({ type }) => type !== 'actions').map(({ key }) => key))
  return Array.isArray(columns) ? columns.filter((key) => known.has(key)) : []
}

const maxRevision = 2 ** 31 - 1

const viewOnly = new Set(['view', 'view_revision'])

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/**
 * Returns the view that the body names. One of others that uses what the caller may not see does not exist for them.
 */
async function findView(request: TableRequest): Promise<SavedView> {
  const id = ownValue(request.body, 'view')
  if (typeof id !== 'string' || !uuid.test(id)) throw validationFailed({ view: [fieldFault('not_a_uuid')] })
  const view = await findReadableView(request.database.read, createReader(request), id)
  const query = presentQuery(request, view?.query ?? {})
  if (view === undefined || !(view.isOwn || (await isUsable(request, query)))) throw new RequestError('view_not_found')
  assertKnownKeys(query, 'view')
  return { ...view, query }
}

const fieldOfForm = (key: string): Bilingual => ({
  en: `uses ${key}, which is a field of the form of this action`,
  ar: `تستخدم ${key}، وهو حقل في نموذج هذا الإجراء`,
})

/** Lists the views that the caller can use now, if `asked` requests them. */
export async function listUsableViews(request: TableRequest, asked: unknown): Promise<Payload> {
  const isAsked = truths.get(asked || 'false')
  if (isAsked === undefined) throw validationFailed({ views: [fieldFault('not_with_data')] })
  if (!isAsked) return {}
  const { items } = await readViews(request)
  return { views: items.filter((item) => !('usable' in item)) }
}

/** Reads the views that the caller may know of. Own ones that the caller cannot use now come without their query. */
async function readViews(request: TableRequest) {
  const reader = createReader(request)
  const { views, more } = await listReadableViews(request.database.read, reader)
  const items: ReturnType<typeof viewEntry>[] = []
  for (const view of views) {
    const query = presentQuery({ view: request.view }, view.query)
    const isUsed = await isUsable(request, query)
    if (isUsed || view.isOwn) items.push(viewEntry({ ...view, query }, isUsed))
  }
  return { items, more, canShare: reader.tenant !== undefined }
}

/**
 * Lists the caller's views of a table and those that others share. A view of others that uses what the caller may not
 * see is absent; an own one comes without its query, so that it can be removed.
 */
export async function listSavedViews(request: TableRequest): Promise<Payload> {
  const { items, more, canShare } = await readViews(request)
  return { items, can_share: canShare, ...(more && { more }) }
}
