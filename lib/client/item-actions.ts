import type { RowAction } from './wire.ts'

/** The parts of an action that all rows share. */
interface SharedAction {
  readonly entry: Omit<RowAction, 'form' | 'url_template' | 'action'>
  readonly template: RowAction['action']
}

/** The actions of an item that was requested with `row_actions: "keys"`. */
type Keys = Readonly<Record<string, Partial<RowAction>>>

interface ItemWithKeys {
  readonly row?: { readonly actions?: Keys; readonly path_id?: string }
}

type SharedEntries = ReadonlyMap<string, SharedAction>

const maxRemembered = 50

/**
 * Remembers the row actions of loaded structures, so that items can be requested without them and completed here. A
 * page of 20 rows with ten actions is then 5 % of its size.
 */
export function createItemActions() {
  const remembered = new Map<string, SharedEntries>()
  const name = (table: string, params: unknown) => JSON.stringify([table, params ?? null])
  return {
    remember: (table: string, params: unknown, { rowActions }: { readonly rowActions: object }): void => {
      if (remembered.size >= maxRemembered) remembered.clear()
      const entries = toSharedEntries(rowActions as Readonly<Record<string, RowAction>>)
      if (entries !== undefined) remembered.set(name(table, params), entries)
    },
    /** Completes items from a structure. An action that it does not have, as after a deployment, is left out. */
    completeBy: <I>({ rowActions }: { readonly rowActions: object }, items: readonly I[]): readonly I[] => {
      const entries = toSharedEntries(rowActions as Readonly<Record<string, RowAction>>)
      return entries === undefined ? items : items.map((item) => wholeItem(entries, item))
    },
    /** Requests items without their actions if the table's structure is remembered, and completes them. */
    complete: async <A>(
      { table, params }: { readonly table: string; readonly params: unknown },
      send: (extra: { readonly row_actions?: 'keys' }) => Promise<A>,
      withItems: (response: A, change: <I>(item: I) => I) => A,
    ): Promise<A> => {
      const entries = remembered.get(name(table, params))
      if (entries === undefined) return send({})
      try {
        return withItems(await send({ row_actions: 'keys' }), (item) => wholeItem(entries, item, true))
      } catch (error) {
        if (!(error instanceof UnknownAction)) throw error
        // The structure has changed since it was loaded.
        remembered.delete(name(table, params))
        return send({})
      }
    },
  }
}

class UnknownAction extends Error {}

/** `undefined` for a service that does not name the URLs of its rows. */
function toSharedEntries(rowActions: Readonly<Record<string, RowAction>>): SharedEntries | undefined {
  const entries = new Map<string, SharedAction>()
  for (const [key, { form: _, url_template: template, action: __, ...entry }] of Object.entries(rowActions)) {
    if (template === undefined) return undefined
    entries.set(key, { entry, template })
  }
  return entries
}

function wholeItem<I>(entries: SharedEntries, item: I, isExact = false): I {
  const { row } = item as ItemWithKeys
  // A service that does not know `row_actions` sends items whole.
  if (row?.path_id === undefined) return item
  const actions = Object.fromEntries(
    Object.entries(row.actions ?? {}).flatMap(([key, own]) => {
      const shared = entries.get(key)
      if (shared === undefined && isExact) throw new UnknownAction(key)
      return shared ? [[key, { ...shared.entry, action: rowUrls(shared.template, row.path_id ?? ''), ...own }]] : []
    }),
  )
  return { ...item, row: { ...row, actions }, actions }
}

const rowUrls = ({ api, web }: RowAction['action'], pathId: string): RowAction['action'] => ({
  api: api.replace('{id}', () => pathId),
  ...(web !== undefined && { web: web.replace('{id}', () => pathId) }),
})
