import { beforeEach, describe, expect, it } from 'vitest'
import { reactAdminProvider } from '../../lib/client/adapters/react-admin.ts'
import { reactAdminEditing } from '../../lib/client/adapters/react-admin-editing.ts'
import { refineDataProvider } from '../../lib/client/adapters/refine.ts'
import { refineEditing } from '../../lib/client/adapters/refine-editing.ts'
import { startEditingApi } from '../support/fixtures/editing-api.ts'
import type { GridRequest } from '../support/fixtures/grid-api.ts'
import { createFailure } from '../support/requests/table-clients.ts'

const { work, client, changes, others, paths } = await startEditingApi()
beforeEach(() => work.reset())

const resource = 'orders'

const readOrder = async (id: number) => (await work.sql`select * from orders where id = ${id}`)[0]

const pagination = { page: 1, perPage: 20 }

describe('an edit by the data provider of react-admin', () => {
  const createProvider = () => reactAdminEditing(reactAdminProvider(client), client, changes)

  it('writes what differs from the record as it was read, and returns the record with its version', async () => {
    const provider = createProvider()
    const { data: previousData } = await provider.getOne(resource, { id: '1' })
    expect(previousData._version).toEqual(expect.any(String))
    const { data } = await provider.update(resource, {
      id: 1,
      previousData,
      data: { ...structuredClone(previousData), title: 'New', amount: 12.5 },
    })
    expect(data).toMatchObject({ id: 1, title: 'New', amount: 12.5 })
    const next = { id: 1, data: { ...data, runs: 3 }, previousData: data }
    expect((await provider.update(resource, next)).data).toMatchObject({ title: 'New', runs: 3 })
    const asked = paths.length
    expect((await provider.update(resource, { ...next, data })).data).toMatchObject({ id: 1 })
    expect(paths).toHaveLength(asked)
  })

  it('leaves cells as they are whose fields a form does not show', async () => {
    const provider = createProvider()
    await others.updateCells('orders', 1, { assignee: 'ann' })
    const { data: previousData } = await provider.getOne(resource, { id: 1 })
    const { data } = await provider.update(resource, {
      id: 1,
      previousData,
      data: { ...previousData, title: 'New', assignee: undefined },
    })
    expect(data).toMatchObject({ title: 'New', assignee: 'ann' })
    const unchanged = { id: 1, previousData: data, data: { ...data, assignee: undefined } }
    expect((await provider.update(resource, unchanged)).data).toMatchObject({ assignee: 'ann' })
    await provider.updateMany(resource, { ids: [1, 2], data: { runs: 4, assignee: undefined } })
    expect(await readOrder(1)).toMatchObject({ title: 'New', runs: 4, assignee: 'ann' })
  })

  it('returns the record as the user has left it if the edit has taken it out of the scope', async () => {
    const provider = createProvider()
    const { data: previousData } = await provider.getOne(resource, { id: 1 })
    const edit = { id: 1, previousData, data: { ...previousData, state: 'archived' } }
    expect((await provider.update(resource, edit)).data).toMatchObject({ id: 1, title: 'Order 1', state: 'archived' })
    expect(await readOrder(1)).toMatchObject({ state: 'archived' })
  })

  it('rejects if the record has changed since, with the record as it is now', async () => {
    const provider = createProvider()
    const { data: previousData } = await provider.getOne(resource, { id: 1 })
    await others.updateCells('orders', 1, { runs: 5 })
    // Another list must not make the form newer than it is.
    await provider.getList(resource, { pagination, filter: {} })
    const late = provider.update(resource, { id: 1, data: { ...previousData, title: 'Late' }, previousData })
    expect(await createFailure(late)).toMatchObject({
      code: 'row_version_conflict',
      response: { current: { runs: 5 }, changed: [{ field: 'runs' }] },
    })
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1' })
  })

  it('rejects with the faults of values at the fields of the form', async () => {
    const provider = createProvider()
    const { data: previousData } = await provider.getOne(resource, { id: 1 })
    const taken = provider.update(resource, { id: 1, data: { ...previousData, title: 'ORDER 2' }, previousData })
    expect(await createFailure(taken)).toMatchObject({
      code: 'conflicting_data',
      body: { errors: { title: expect.stringContaining('another row') } },
    })
    const closed = provider.update(resource, { id: 1, data: { ...previousData, tenant: 'x' }, previousData })
    expect(await createFailure(closed)).toMatchObject({ code: 'unsupported' })
  })

  it('writes the same cells into several records with the versions that were read last', async () => {
    const provider = createProvider()
    await provider.getList(resource, { pagination, filter: {} })
    expect(await provider.updateMany(resource, { ids: [1, 2], data: { runs: 4 } })).toEqual({ data: [1, 2] })
    await others.updateCells('orders', 2, { title: 'Theirs' })
    const error = await createFailure(provider.updateMany(resource, { ids: [1, 2], data: { runs: 6 } }))
    expect(error).toMatchObject({ code: 'row_version_conflict', message: '1 row done, 1 row not' })
    expect(error.response).toMatchObject({ results: [{ success: true }, { id: 2, success: false }] })
    expect(await work.runs(1, 2)).toEqual([6, 4])
  })

  it('returns the record as it is after an action, and keeps to its version then', async () => {
    const provider = createProvider()
    const { data: previousData } = await provider.getOne(resource, { id: 1 })
    const counted = await provider.update(resource, { id: 1, data: {}, previousData, meta: { action: 'count' } })
    expect(counted.data).toMatchObject({ runs: 1, _version: expect.any(String) })
    const closed = { id: 1, data: {}, previousData: counted.data, meta: { action: 'close' } }
    const { data } = await provider.update(resource, closed)
    expect(data).toMatchObject({ state: 'done', _version: expect.any(String) })
    const edit = { id: 1, previousData: data, data: { ...data, runs: 5 } }
    expect((await provider.update(resource, edit)).data).toMatchObject({ runs: 5, state: 'done' })
    expect(await createFailure(provider.update(resource, edit))).toMatchObject({ code: 'row_version_conflict' })
  })

  it('is no conflict with another edit of the same record that is under way, unless that one is in conflict', async () => {
    const provider = createProvider()
    const { data: previousData } = await provider.getOne(resource, { id: 1 })
    const editTogether = (...cells: readonly object[]) =>
      cells.map((one) => provider.update(resource, { id: 1, previousData, data: { ...previousData, ...one } }))
    await Promise.all(editTogether({ title: 'New' }, { runs: 3 }, { amount: 9.5 }))
    expect(await readOrder(1)).toMatchObject({ title: 'New', runs: 3, amount: '9.50' })
    for (const error of await Promise.all(editTogether({ title: 'Late' }, { runs: 4 }).map(createFailure)))
      expect(error.code).toBe('row_version_conflict')
  })

  it('runs an action as before where meta names one', async () => {
    const provider = createProvider()
    const { data: previousData } = await provider.getOne(resource, { id: 1 })
    await provider.update(resource, { id: 1, data: {}, previousData, meta: { action: 'shelve' } })
    expect(await readOrder(1)).toMatchObject({ state: 'archived' })
  })

  it('runs an action without reading its row once more', async () => {
    const provider = createProvider()
    const { data: previousData } = await provider.getOne(resource, { id: 1 })
    const asked = paths.length
    const { data } = await provider.update(resource, { id: 1, data: {}, previousData, meta: { action: 'count' } })
    expect(data).toMatchObject({ id: 1, runs: 1, _version: expect.any(String) })
    expect(paths.slice(asked)).toEqual(['row-refetch/orders/1', 'row-table-action/orders/count/1'])
  })
})

describe('a data provider that edits cells', () => {
  it.each([
    ['refine', refineEditing(refineDataProvider(client, ''), client, changes), { resource, variables: {} }],
    ['refine without editing', refineDataProvider(client, ''), { resource, variables: {} }],
  ])('rejects an action on several rows of which one is refused: %s', async (_, { updateMany, update }, asked) => {
    const meta = { action: 'close' }
    await update({ ...asked, id: 1, meta })
    const failure = createFailure(updateMany?.({ ...asked, ids: [1, 2], meta }) ?? Promise.resolve())
    expect(await failure).toMatchObject({
      code: 'action_not_applicable',
      statusCode: 422,
      message: '1 row done, 1 row not',
      response: {
        results: [
          { id: 1, success: false },
          { id: 2, success: true },
        ],
      },
    })
    expect([await readOrder(1), await readOrder(2)]).toMatchObject([{ state: 'done' }, { state: 'done' }])
  })

  it.each(['updateMany', 'deleteMany'] as const)(
    'rejects an action on several records of which one is refused: %s',
    async (call) => {
      const provider = reactAdminEditing(reactAdminProvider(client), client, changes)
      await provider[call](resource, { ids: [1], data: {}, meta: { action: 'close' } })
      const both = provider[call](resource, { ids: [1, 2], data: {}, meta: { action: 'close' } })
      expect(await createFailure(both)).toMatchObject({ code: 'action_not_applicable' })
      expect(await readOrder(2)).toMatchObject({ state: 'done' })
    },
  )

  it('reads tables without editable columns as before', async () => {
    const provider = reactAdminEditing(reactAdminProvider(client), client, changes)
    const { data } = await provider.getOne('plain', { id: 1 })
    expect(data).not.toHaveProperty('_version')
  })

  it('does everything else as the data provider of which it was made', async () => {
    const refine = refineEditing(refineDataProvider(client, ''), client, changes)
    expect(refine.getApiUrl()).toBe('')
    expect(await refine.getMany?.({ resource, ids: [1] })).toMatchObject({ data: [{ id: 1 }] })
    const admin = reactAdminEditing(reactAdminProvider(client), client, changes)
    await admin.delete(resource, { id: 1, meta: { action: 'shelve' } })
    expect(await readOrder(1)).toMatchObject({ state: 'archived' })
  })
})

describe('an edit by the data provider of refine', () => {
  const createProvider = () => refineEditing(refineDataProvider(client, ''), client, changes)
  const readList = (provider: ReturnType<typeof createProvider>) => provider.getList({ resource })

  it('writes the variables into cells', async () => {
    const provider = createProvider()
    const { data } = await provider.update({ resource, id: 1, variables: { title: 'New', amount: 12.5 } })
    expect(data).toMatchObject({ id: 1, title: 'New', amount: 12.5 })
    expect(await readOrder(1)).toMatchObject({ amount: '12.50' })
  })

  it('leaves cells as they are that have no value among the variables', async () => {
    const provider = createProvider()
    await others.updateCells('orders', 1, { assignee: 'ann' })
    const variables = { title: 'New', assignee: undefined }
    expect((await provider.update({ resource, id: 1, variables })).data).toMatchObject({ assignee: 'ann' })
    await provider.update({ resource, id: 1, variables: { assignee: null } })
    expect(await readOrder(1)).toMatchObject({ title: 'New', assignee: null })
  })

  it.each<[string, (row: GridRequest) => GridRequest]>([
    ['meta', ({ _version }) => ({ meta: { expectedVersion: _version }, variables: { title: 'Late' } })],
    ['the variables', ({ _version }) => ({ variables: { _version, title: 'Late' } })],
  ])('keeps to the version of %s, although the row was read again', async (_, create) => {
    const provider = createProvider()
    const [row] = (await readList(provider)).data
    await others.updateCells('orders', Number(row?.id), { runs: 5 })
    await readList(provider)
    const late = provider.update({ resource, id: row?.id ?? 0, ...create(row) })
    expect(await createFailure(late)).toMatchObject({ code: 'row_version_conflict', statusCode: 422 })
  })

  it('keeps to the version that was read last where none is given', async () => {
    const provider = createProvider()
    const { data } = await provider.getOne({ resource, id: 1 })
    expect(data['_version']).toEqual(expect.any(String))
    await others.updateCells('orders', 1, { runs: 5 })
    const late = provider.update({ resource, id: 1, variables: { title: 'Late' } })
    expect(await createFailure(late)).toMatchObject({ code: 'row_version_conflict' })
    await provider.getOne({ resource, id: 1 })
    await provider.update({ resource, id: 1, variables: { title: 'Later' } })
    await provider.update({ resource, id: 1, variables: { title: 'Last' } })
    expect(await readOrder(1)).toMatchObject({ title: 'Last', runs: 5 })
  })

  it('is no conflict with another edit of the same row that is under way', async () => {
    const provider = createProvider()
    await readList(provider)
    const edits = [{ title: 'New' }, { runs: 3 }].map((variables) => provider.update({ resource, id: 1, variables }))
    await Promise.all(edits)
    expect(await readOrder(1)).toMatchObject({ title: 'New', runs: 3 })
  })

  it('rejects with the faults of values at the fields of the form', async () => {
    const provider = createProvider()
    const taken = provider.update({ resource, id: 1, variables: { title: 'ORDER 2' } })
    expect(await createFailure(taken)).toMatchObject({
      statusCode: 422,
      errors: { title: [expect.stringContaining('another row')] },
    })
    const closed = provider.update({ resource, id: 1, variables: { tenant: 'x' } })
    expect(await createFailure(closed)).toMatchObject({ code: 'unsupported' })
  })

  it('writes the same cells into several rows, and rejects if one was not changed', async () => {
    const provider = createProvider()
    await readList(provider)
    const changed = await provider.updateMany?.({ resource, ids: [1, 2], variables: { runs: 4 } })
    expect(changed?.data).toMatchObject([
      { id: 1, runs: 4 },
      { id: 2, runs: 4 },
    ])
    await others.updateCells('orders', 2, { title: 'Theirs' })
    const late = provider.updateMany?.({ resource, ids: [1, 2], variables: { runs: 6 } })
    expect(await createFailure(late ?? Promise.resolve())).toMatchObject({
      code: 'row_version_conflict',
      message: '1 row done, 1 row not',
    })
  })

  it('writes cells by one request, and returns the row although the list shows it no more', async () => {
    const provider = createProvider()
    await provider.getList({ resource, filters: [{ field: 'state', operator: 'eq', value: 'open' }] })
    const asked = paths.length
    const { data } = await provider.update({ resource, id: 1, variables: { state: 'done' } })
    expect(data).toMatchObject({ id: 1, state: 'done', _version: expect.any(String) })
    const several = await provider.updateMany?.({ resource, ids: [2, 3], variables: { state: 'done' } })
    expect(several?.data).toMatchObject([2, 3].map((id) => ({ id, state: 'done', _version: expect.any(String) })))
    expect(paths.slice(asked)).toEqual([
      'row-table-action/orders/update_cells/1',
      'row-bulk-table-action/orders/update_cells',
    ])
  })

  it('returns rows as they are after an action, and keeps to their versions then', async () => {
    const provider = createProvider()
    await readList(provider)
    const { data } = await provider.update({ resource, id: 1, variables: {}, meta: { action: 'count' } })
    expect(data).toMatchObject({ id: 1, runs: 1 })
    await provider.update({ resource, id: 1, variables: { title: 'Counted' } })
    const closed = { resource, ids: [1, 2], variables: {}, meta: { action: 'close' } }
    expect((await provider.updateMany?.(closed))?.data).toMatchObject([{ state: 'done' }, { state: 'done' }])
    await provider.updateMany?.({ resource, ids: [1, 2], variables: { runs: 9 } })
    await others.updateCells('orders', 2, { title: 'Theirs' })
    const late = provider.update({ resource, id: 2, variables: { runs: 6 } })
    expect(await createFailure(late)).toMatchObject({ code: 'row_version_conflict' })
    expect(await work.runs(1, 2)).toEqual([9, 9])
  })

  it('runs an action without reading its rows once more', async () => {
    const provider = createProvider()
    await readList(provider)
    const asked = paths.length
    const { data } = await provider.update({ resource, id: 1, variables: {}, meta: { action: 'count' } })
    expect(data).toMatchObject({ id: 1, runs: 1, _version: expect.any(String) })
    const closed = { resource, ids: [1, 2], variables: {}, meta: { action: 'close' } }
    const several = await provider.updateMany?.(closed)
    expect(several?.data).toMatchObject([1, 2].map((id) => ({ id, state: 'done', _version: expect.any(String) })))
    const changed = paths.slice(asked).filter((path) => !path.startsWith('load-table/'))
    expect(changed).toEqual([
      'row-refetch/orders/1',
      'row-table-action/orders/count/1',
      'row-bulk-table-action/orders/close',
    ])
  })

  it('runs an action as before where meta names one', async () => {
    const provider = createProvider()
    await provider.update({ resource, id: 1, variables: {}, meta: { action: 'shelve' } })
    expect(await readOrder(1)).toMatchObject({ state: 'archived' })
  })
})
