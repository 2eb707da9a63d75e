import { isoMoment } from '../db/iso-moment.ts'
import type { Run } from '../db/transaction.ts'

/** A saved view as its reader sees it; times are ISO 8601 in UTC. */
export interface SavedView {
  readonly id: string
  readonly name: string
  readonly visibility: 'private' | 'shared'
  readonly isDefault: boolean
  readonly revision: number
  readonly query: Readonly<Record<string, unknown>>
  readonly createdAt: string
  readonly updatedAt: string
  /** Whether the view is the reader's own. */
  readonly isOwn: boolean
  /** Whether the callers of another tenant than the reader's see the view. */
  readonly isSharedElsewhere: boolean
}

/** A caller at one table. */
export interface ViewReader {
  readonly tableName: string
  readonly subject: string
  /** The tenant whose shared views the caller may read; `undefined` where there are none. */
  readonly tenant: string | undefined
}

/** The parts of a view that its owner sets. */
export type ViewSettings = Pick<SavedView, 'name' | 'visibility' | 'isDefault' | 'query'>

const fields = `id, name, visibility, is_default, revision, query::text, ${isoMoment('created_at')}, ${isoMoment('updated_at')},
  subject = $2, visibility = 'shared' and tenant is distinct from $3`

const readable = `table_name = $1 and (subject = $2 or (visibility = 'shared' and tenant = $3))`

function toView(row: readonly unknown[]): SavedView {
  const [id, name, visibility, isDefault, revision, query, createdAt, updatedAt, isOwn, isSharedElsewhere] = row
  const texts = { id, name, visibility, isDefault, createdAt, updatedAt, isOwn, isSharedElsewhere }
  // The table's own columns say what they hold.
  return {
    ...(texts as Omit<SavedView, 'revision' | 'query'>),
    revision: Number(revision),
    query: JSON.parse(`${query}`),
  }
}

const places = ({ tableName, subject, tenant }: ViewReader): readonly (string | null)[] => [
  tableName,
  subject,
  tenant ?? null,
]

/** The most views of one caller at one table, and the most views of others that are listed. */
export const maxViews = 100

const list = `(select ${fields} from table_control.views where table_name = $1 and subject = $2 order by name limit ${maxViews})
  union all
  (select ${fields} from table_control.views
    where table_name = $1 and tenant = $3 and visibility = 'shared' and subject <> $2
    order by updated_at desc, id limit ${maxViews + 1})`

/**
 * Returns a caller's own views by name, and the shared views of others that were changed last. `more`: there are
 * others.
 */
export async function listReadableViews(
  run: Run,
  reader: ViewReader,
): Promise<{ readonly views: readonly SavedView[]; readonly more: boolean }> {
  const views = (await run(list, places(reader))).map(toView)
  const more = views.filter(({ isOwn }) => !isOwn).length > maxViews
  return { views: more ? views.slice(0, -1) : views, more }
}

/** Returns a view that the caller may read. */
export async function findReadableView(run: Run, reader: ViewReader, id: string): Promise<SavedView | undefined> {
  const [row] = await run(`select ${fields} from table_control.views where ${readable} and id = $4`, [
    ...places(reader),
    id,
  ])
  return row && toView(row)
}

const lock = "select pg_advisory_xact_lock(hashtextextended('table_control.views ' || $1, 0))"

const others = `select count(*)::int, coalesce(bool_or(name = $3), false) from table_control.views
  where table_name = $1 and subject = $2 and id is distinct from $4::uuid`

const clearing = `update table_control.views set is_default = false, updated_at = now()
  where table_name = $1 and subject = $2 and is_default and id is distinct from $3::uuid`

/** The fact that keeps a view from being saved. */
export type ViewConflict = 'name_taken' | 'too_many'

/** Keeps other requests from saving or changing views of this caller until the transaction ends. */
export async function lockOwnViews(run: Run, subject: string): Promise<void> {
  await run(lock, [subject])
}

/** Makes room for a view of the caller: a new default replaces the one before. `id` is absent for a new view. */
export async function prepareView(
  run: Run,
  { tableName, subject }: ViewReader,
  { name, isDefault }: Pick<ViewSettings, 'name' | 'isDefault'>,
  id?: string,
): Promise<ViewConflict | undefined> {
  const [row] = await run(others, [tableName, subject, name, id ?? null])
  if (row?.[1] === true) return 'name_taken'
  if (id === undefined && Number(row?.[0]) >= maxViews) return 'too_many'
  if (isDefault) await run(clearing, [tableName, subject, id ?? null])
  return undefined
}

const insertion = `insert into table_control.views (table_name, subject, tenant, name, visibility, is_default, query)
  values ($1, $2, $3, $4, $5, $6, $7::text::json) returning ${fields}`

// Only a request that names the visibility decides with whom the view is shared.
const update = `update table_control.views set tenant = case when $5::text is null then tenant else $3 end, name = $4,
    visibility = coalesce($5, visibility), is_default = $6, query = $7::text::json,
    revision = revision + (query::text <> $7::text)::int, updated_at = now()
  where table_name = $1 and subject = $2 and id = $8 returning ${fields}`

/**
 * The new settings of a view. Without `visibility`, the view stays with the callers who see it, whatever the owner's
 * tenant is now.
 */
export type ChangedSettings = Omit<ViewSettings, 'visibility'> & {
  readonly visibility: ViewSettings['visibility'] | undefined
}

const settingsValues = ({ name, visibility, isDefault, query }: ChangedSettings) => [
  name,
  visibility ?? null,
  isDefault,
  JSON.stringify(query),
]

/** Saves a new view, after `prepareView`. */
export async function insertView(run: Run, owner: ViewReader, settings: ViewSettings): Promise<SavedView> {
  const [row] = await run(insertion, [...places(owner), ...settingsValues(settings)])
  if (row === undefined) throw new Error('the insertion of a view returned no row')
  return toView(row)
}

/** Changes a view of the caller, after `prepareView`. A changed query has the next revision. */
export async function updateView(
  run: Run,
  owner: ViewReader,
  id: string,
  settings: ChangedSettings,
): Promise<SavedView | undefined> {
  const [row] = await run(update, [...places(owner), ...settingsValues(settings), id])
  return row && toView(row)
}

/** Removes a view of the caller. Returns whether there was one. */
export async function deleteView(run: Run, { tableName, subject }: ViewReader, id: string): Promise<boolean> {
  const removal = 'delete from table_control.views where table_name = $1 and subject = $2 and id = $3 returning true'
  return (await run(removal, [tableName, subject, id])).length > 0
}
