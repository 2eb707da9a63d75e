import * as z from 'zod/mini'
import { recordAudit } from '../actions/audit.ts'
import type { Run } from '../db/transaction.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { parseWith } from '../errors/parse-with.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { readWhole } from '../query/read-value.ts'
import {
  type ChangedSettings,
  deleteView,
  findReadableView,
  insertView,
  lockOwnViews,
  maxViews,
  prepareView,
  type SavedView,
  updateView,
  type ViewConflict,
  type ViewReader,
  type ViewSettings,
} from '../storage/saved-views.ts'
import { assertKnownKeys, checkViewQuery, isUsable } from './check-view-query.ts'
import { presentQuery } from './present-names.ts'
import { createReader, readViewId, viewEntry } from './saved-view-entry.ts'
import { ownValue, type Payload, type TableRequest, type UnknownBody } from './table-request.ts'

/** Saves a view of the caller. Throws `too_many_views` beyond the limit. */
export async function saveView(request: TableRequest): Promise<Payload> {
  const owner = createReader(request)
  const { name, visibility = 'private', is_default: isDefault = false, query } = await readNewView(request)
  const settings: ViewSettings = { name, visibility, isDefault, query }
  assertMayShare(owner, visibility)
  const view = await request.database.transaction(async ({ run }) => {
    await lockOwnViews(run, owner.subject)
    assertNoConflict(await prepareView(run, owner, settings))
    const saved = await insertView(run, owner, settings)
    await audit(run, request, 'save_view')
    return saved
  })
  return { view: viewEntry(view) }
}

/**
 * Changes the settings of the caller's view that the body names. Throws `view_not_found` for views of others, and
 * `view_changed` if the body's `revision` is not the present one.
 */
export async function changeView(request: TableRequest): Promise<Payload> {
  assertNoTag(request)
  const owner = createReader(request)
  const id = readViewId(request.path['id'])
  const { revision, is_default, ...changes } = await readViewChanges(request)
  const view = await request.database.transaction(async ({ run }) => {
    await lockOwnViews(run, owner.subject)
    const before = await findReadableView(run, owner, id)
    if (before?.isOwn !== true) throw new RequestError('view_not_found')
    if (revision !== undefined && revision !== before.revision) throw new RequestError('view_changed')
    const settings: ChangedSettings = {
      name: changes.name ?? before.name,
      visibility: changes.visibility,
      isDefault: is_default ?? before.isDefault,
      query: changes.query ?? before.query,
    }
    if (changes.visibility !== undefined) assertMayShare(owner, changes.visibility)
    else if (before.isSharedElsewhere) assertUnseen(before, settings.name, changes.query)
    assertNoConflict(await prepareView(run, owner, settings, id))
    const after = await updateView(run, owner, id, settings)
    if (after === undefined) throw new RequestError('view_not_found')
    await audit(run, request, 'change_view')
    return after
  })
  // Stored under its former names, the view goes on working in the version before.
  const query = presentQuery(request, view.query)
  return { view: viewEntry({ ...view, query }, await isUsable(request, query)) }
}

/** Removes a view of the caller. Throws `view_not_found` for views of others. */
export async function removeView(request: TableRequest): Promise<Payload> {
  assertNoTag(request)
  const id = readViewId(request.path['id'])
  await request.database.transaction(async ({ run }) => {
    if (!(await deleteView(run, createReader(request), id))) throw new RequestError('view_not_found')
    await audit(run, request, 'remove_view')
  })
  return {}
}

/** Refuses `If-Match`: a view has no tag, and a condition must not be ignored. */
function assertNoTag({ headers }: TableRequest): void {
  if (headers['if-match'] !== undefined) throw validationFailed({ 'If-Match': [fieldFault('not_known')] })
}

// Here and not among all faults, so that requests without views do not load them.
const notShared: Bilingual = {
  en: 'must be private: you cannot share views of this table',
  ar: 'يجب أن يكون private: لا يمكنك مشاركة طرق عرض هذا الجدول',
}

const sharedElsewhere: Bilingual = {
  en: 'must be given to change this view, which is shared with another tenant: private, or shared to move it to your tenant',
  ar: 'يجب تحديده لتغيير طريقة العرض هذه المشتركة مع مستأجر آخر: private، أو shared لنقلها إلى مستأجرك',
}

const nameTaken: Bilingual = { en: 'is the name of another view of yours', ar: 'هو اسم طريقة عرض أخرى لك' }

function assertMayShare({ tenant }: ViewReader, visibility: ViewSettings['visibility']): void {
  if (visibility === 'shared' && tenant === undefined) throw validationFailed({ visibility: [notShared] })
}

/**
 * Throws `validation_failed` if a change would show others what the caller has written with a token of another tenant.
 */
function assertUnseen(before: SavedView, name: string, query: ViewSettings['query'] = before.query): void {
  if (name === before.name && JSON.stringify(query) === JSON.stringify(before.query)) return
  throw validationFailed({ visibility: [sharedElsewhere] })
}

function assertNoConflict(conflict: ViewConflict | undefined): void {
  if (conflict === 'name_taken') throw validationFailed({ name: [nameTaken] })
  if (conflict === 'too_many') throw new RequestError('too_many_views', { limit: maxViews })
}

const audit = async (run: Run, { table, identity, guard, requestId }: TableRequest, action: string): Promise<void> => {
  const about = { subject: identity.subject, table: table.name, action, guard, requestId, filterHash: undefined }
  await recordAudit(run, { ...about, kind: 'view' }, 0)
}

/** As JSON, so that a list of views fits into one response. */
const maxQueryLength = 16_384

// A name is shown inside other texts, so it must not end their line or turn their direction.
const name = z.string().check(
  z.trim(),
  z.minLength(1),
  z.maxLength(100),
  z.refine(
    (text) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text),
    {
      error: 'must hold a visible character, and none that ends a line or turns the direction of text',
      params: { ar: 'يجب أن يتضمن حرفًا مرئيًا، وألا يتضمن محرفًا ينهي السطر أو يغيّر اتجاه النص' },
    },
  ),
)

const optional = {
  visibility: z.optional(z.enum(['private', 'shared'])),
  is_default: z.optional(z.boolean()),
}

const query = z.record(z.string(), z.unknown())

const newView = z.strictObject({ name, ...optional, query })

const changes = z.strictObject({
  name: z.optional(name),
  ...optional,
  query: z.optional(query),
  revision: z.optional(z.int()),
})

/** Reads the body that saves a new view. Throws `validation_failed` naming each key that does not fit. */
async function readNewView(request: TableRequest) {
  const { query: asked, ...settings } = parseWith(newView, ownBody(request), [])
  return { ...settings, query: await readQuery(request, asked) }
}

/** Reads the body that changes a view. Throws `validation_failed` naming each key that does not fit. */
async function readViewChanges(request: TableRequest) {
  const { query: asked, ...settings } = parseWith(changes, ownBody(request), [])
  return { ...settings, ...(asked !== undefined && { query: await readQuery(request, asked) }) }
}

/** The body without the params of the table, which belong to the request and not to the view. */
const ownBody = ({ body }: TableRequest): UnknownBody =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'params'))

async function readQuery(request: TableRequest, asked: UnknownBody): Promise<UnknownBody> {
  assertKnownKeys(asked, 'query')
  const kept = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null))
  if (JSON.stringify(kept).length > maxQueryLength)
    throw validationFailed({ query: [fieldFault('too_long', { max: maxQueryLength })] })
  const size = ownValue(kept, 'per_page')
  if (size !== undefined) readWhole(size, 1, request.table.maxPerPage, 'query.per_page')
  await checkViewQuery(request, kept, 'query')
  return kept
}
