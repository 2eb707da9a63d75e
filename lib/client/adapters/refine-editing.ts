import type { BaseRecord, DataProvider, MetaQuery } from '@refinedev/core'
import type { AnyChanges } from './grid-changes.ts'
import type { AnyClient } from './grid-client.ts'
import { createEditProvider } from './provided-edits.ts'
import { withHttpErrors } from './refine-errors.ts'

interface Asked {
  readonly meta?: MetaQuery
}

/**
 * Adds the editing of cells to a data provider: `update` and `updateMany` without `meta.action` write the variables
 * into cells. The version is that of `meta.expectedVersion`, of the variables, or of the row as it was read last.
 *
 * @example
 * <Refine dataProvider={refineEditing(refineDataProvider(client, baseUrl), client, changes)} />
 * const { mutate } = useUpdate({ resource: 'orders', id: 1, values: { title: 'New' } })
 */
export function refineEditing(provider: DataProvider, client: AnyClient, changes: AnyChanges): DataProvider {
  const editing = createEditProvider(client, changes)
  const withVersions = async <A extends Asked & { readonly resource: string }>(asked: A): Promise<A> => ({
    ...asked,
    meta: await editing.readVersions(asked.resource, asked.meta),
  })
  const withEffects = async <A extends Asked & { readonly resource: string; readonly variables: unknown }>(
    asked: A,
  ) => {
    const { meta, input } = await editing.askEffects(asked.resource, asked.meta, asked.variables)
    return { ...asked, meta, variables: input } as A
  }
  const isAction = ({ meta }: Asked): boolean => meta?.['action'] !== undefined
  return {
    ...provider,
    getList: async <T extends BaseRecord>(asked: Parameters<DataProvider['getList']>[0]) => {
      const list = await provider.getList<T>(await withVersions(asked))
      editing.remember(asked.resource, list.data)
      return list
    },
    getOne: async <T extends BaseRecord>(asked: Parameters<DataProvider['getOne']>[0]) => {
      const one = await provider.getOne<T>(await withVersions(asked))
      editing.remember(asked.resource, [one.data])
      return one
    },
    update: async (asked) => {
      if (isAction(asked)) {
        const changed = await provider.update(await withEffects(asked))
        editing.remember(asked.resource, [changed.data])
        return changed as never
      }
      const { resource, id, variables, meta } = asked
      const edited = editing.edit(resource, id, toMeta(meta), { ...(variables as object) })
      return { data: (await withHttpErrors(edited)) as never }
    },
    updateMany: async (asked) => {
      if (isAction(asked) && provider.updateMany !== undefined) {
        const changed = await provider.updateMany(await withEffects(asked))
        editing.remember(asked.resource, changed.data)
        return changed as never
      }
      const { resource, ids, variables, meta } = asked
      const edited = editing.editMany(resource, ids, toMeta(meta), { ...(variables as object) })
      return { data: [...(await withHttpErrors(edited))] as never[] }
    },
  }
}

const toMeta = (meta: MetaQuery | undefined) => ({
  params: meta?.['params'],
  expectedVersion: meta?.['expectedVersion'],
})
