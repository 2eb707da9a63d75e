import type { DataProvider, Identifier, RaRecord } from 'ra-core'
import { listFaults } from '../change-outcomes.ts'
import { TableError } from '../table-error.ts'
import type { AnyChanges } from './grid-changes.ts'
import type { AnyClient } from './grid-client.ts'
import { createEditProvider } from './provided-edits.ts'

interface Asked {
  readonly meta?: { readonly query?: object; readonly action?: unknown; readonly params?: unknown }
}

/**
 * Adds the editing of cells to a data provider: `update` and `updateMany` without `meta.action` write what differs from
 * `previousData` into cells, unless the row has changed since it was read. Faults of values are shown at the fields of
 * the form.
 *
 * @example
 * <Admin dataProvider={reactAdminEditing(reactAdminProvider(client), client, changes)}>
 *   <Resource name="orders" list={Orders} edit={OrderEdit} />
 * </Admin>
 */
export function reactAdminEditing(provider: DataProvider, client: AnyClient, changes: AnyChanges): DataProvider {
  const editing = createEditProvider(client, changes)
  const read =
    <A extends Asked, R extends { readonly data: object | readonly object[] }>(
      call: (resource: string, asked: A) => Promise<R>,
    ) =>
    async (resource: string, asked: A): Promise<R> => {
      const response = await call(resource, { ...asked, meta: await editing.readVersions(resource, asked.meta) })
      editing.remember(resource, [response.data].flat())
      return response
    }
  return {
    ...provider,
    getList: read(provider.getList),
    getMany: read(provider.getMany),
    getManyReference: read(provider.getManyReference),
    getOne: read(provider.getOne),
    update: async <T extends RaRecord<Identifier>>(resource: string, asked: Parameters<DataProvider['update']>[1]) => {
      if (asked.meta?.action !== undefined) {
        const { meta, input } = await editing.askEffects(resource, asked.meta, asked.data)
        const response = await provider.update<T>(resource, { ...asked, meta, data: input as typeof asked.data })
        editing.remember(resource, [response.data])
        return response
      }
      const { id, data, meta, previousData } = asked
      return withFormErrors(async () => ({
        data: (await editing.edit(resource, id, meta, data, previousData)) as T,
      }))
    },
    updateMany: async (resource, asked) => {
      if (asked.meta?.action !== undefined) return provider.updateMany(resource, asked)
      const { ids, data, meta } = asked
      return withFormErrors(async () => ({
        data: (await editing.editMany(resource, ids, meta, data)).map(({ id }) => id),
      }))
    },
  }
}

/** Adds the `body.errors` that react-admin shows at the fields of a form. */
async function withFormErrors<A>(change: () => Promise<A>): Promise<A> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof TableError)) throw error
    const errors = listFaults(error).map(([field, texts]) => [field, texts.join('; ')])
    throw Object.assign(error, { body: { errors: Object.fromEntries(errors) } })
  }
}
