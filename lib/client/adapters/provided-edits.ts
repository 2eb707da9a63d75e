import type { Structure } from '../queries.ts'
import type { AnyTable } from '../table-types.ts'
import type { RowId } from '../wire.ts'
import { type AnyChanges, type Cells, gridChanges, requireAllSaved, requireSaved, toCells } from './grid-changes.ts'
import { type AnyClient, type GridItem, gridClient, type QueryParts } from './grid-client.ts'
import { createRowQueue } from './row-edits.ts'

/** The `meta` of a change of cells. */
interface EditMeta {
  readonly params?: unknown
  readonly expectedVersion?: unknown
}

interface ReadMeta {
  readonly params?: unknown
  readonly query?: object
  readonly [key: string]: unknown
}

interface ActionMeta extends ReadMeta {
  readonly action?: unknown
}

/** An edit that was made, with the versions of the row before and after it. */
interface SavedEdit {
  readonly saved: GridItem | undefined
  readonly seen: string | undefined
  readonly left: string | undefined
}

const maxRemembered = 5_000
const maxTables = 50

const rowName = (table: string, id: unknown) => `${table} ${id}`

/** Remembers the versions of the rows that were read last. */
function createVersions() {
  const versions = new Map<string, string>()
  return {
    remember: (table: string, rows: readonly object[]): void => {
      if (versions.size + rows.length > maxRemembered) versions.clear()
      for (const { id, _version } of rows as readonly { readonly id?: unknown; readonly _version?: unknown }[]) {
        if (typeof _version === 'string') versions.set(rowName(table, id), _version)
      }
    },
    findVersion: (table: string, id: RowId, ...seen: readonly unknown[]): string | undefined =>
      [...seen, versions.get(rowName(table, id))].find((version) => typeof version === 'string'),
  }
}

/**
 * Creates the calls with which data providers edit cells. They remember the versions of the rows that were read last.
 */
export function createEditProvider(client: AnyClient, changes: AnyChanges) {
  const { remember, findVersion } = createVersions()
  const runEdit = createRowQueue<SavedEdit>()
  const toOptions = ({ params }: EditMeta) => ({ include: ['version'], params })
  const tables = new Map<string, Promise<Structure<AnyTable>>>()
  const readTable = (table: string, { params }: EditMeta): Promise<Structure<AnyTable>> => {
    const key = JSON.stringify([table, params ?? null])
    const known = tables.get(key) ?? gridClient(client).loadTable(table, { params })
    if (tables.size >= maxTables) tables.clear()
    tables.set(key, known)
    known.catch(() => tables.delete(key))
    return known
  }
  /** Loads structures again after a failure: it may be that the caller edits other columns by now. */
  const orForget = <A>(change: () => Promise<A>): Promise<A> =>
    change().catch((error: unknown) => {
      tables.clear()
      throw error
    })
  /**
   * Returns the `meta` of a request that reads rows: those of tables with editable columns are read with their
   * versions.
   */
  const readVersions = async <M extends ReadMeta>(table: string, meta: M | undefined) => {
    const { columns } = await readTable(table, meta ?? {})
    const query: QueryParts = meta?.query ?? {}
    if (!columns.some(({ editable }) => editable)) return { ...meta, query }
    return { ...meta, query: { ...query, include: [...new Set([...(query.include ?? []), 'version' as const])] } }
  }
  return {
    remember,
    readVersions,
    /**
     * Returns the `meta` and the input of an action whose response has the rows with their versions, so that they are
     * not read once more.
     */
    askEffects: async (table: string, meta: ActionMeta = {}, input: unknown) => {
      const asked = await readVersions(table, meta)
      const { rowActions } = await readTable(table, meta)
      const form = JSON.stringify(rowActions[String(meta.action)]?.form ?? {})
      // A form that may have a field `include` takes it for its own.
      const isOwn = /"(include|additionalProperties)"/.test(form)
      if (isOwn || String(asked.query.include) !== 'version') return { meta: asked, input }
      return { meta, input: { ...(input as object | undefined), include: ['effects', 'version'] } }
    },
    /** Writes the cells in which the row differs from the one that the user has seen. Returns the row as it is then. */
    edit: (table: string, id: RowId, meta: EditMeta = {}, values: object, before: Cells = {}): Promise<object> =>
      orForget(async () => {
        const after = dropMissing(values)
        const cells = toCells(await readTable(table, meta), before, after)
        if (Object.keys(cells).length === 0) return { ...before, ...after, id }
        const seen = findVersion(table, id, meta.expectedVersion, after['_version'], before['_version'])
        const { saved } = await runEdit(rowName(table, id), async (last) => {
          // The row as the user's own edit has left it that was under way.
          const row = { id, _version: last?.seen === seen ? last?.left : seen }
          const saved = requireSaved(await gridChanges(changes).updateCells(table, row, cells, toOptions(meta)))
          remember(table, saved ? [saved] : [])
          return { saved, seen, left: findVersion(table, id, saved?.['_version']) }
        })
        return saved ?? { ...before, ...after, id }
      }),
    /** Writes the same cells into rows. Throws an error if one of them was not changed, although the others were. */
    editMany: (
      table: string,
      ids: readonly RowId[],
      meta: EditMeta = {},
      values: object,
    ): Promise<readonly GridItem[]> =>
      orForget(async () => {
        const cells = toCells(await readTable(table, meta), {}, dropMissing(values))
        const rows = ids.map((id) => ({ id, _version: findVersion(table, id) }))
        const outcome = await gridChanges(changes).updateRows(table, rows, cells, toOptions(meta))
        remember(table, 'items' in outcome ? outcome.items : [])
        return requireAllSaved(outcome)
      }),
  }
}

/** Drops `undefined`, which forms have for the fields that they do not show. */
const dropMissing = (values: object): Cells =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
