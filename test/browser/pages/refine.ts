import { Refine, useTable, useUpdate } from '@refinedev/core'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { refineDataProvider } from '../../../lib/client/adapters/refine.ts'
import { baseUrl, client, element, showError } from './page-client.ts'

interface Strike {
  readonly id: number
  readonly cost_total: number
  readonly assignee: string | null
}

type Change = { readonly id: number; readonly values: object }

function Strikes() {
  const grid = useTable<Strike>({
    resource: 'bird_strikes',
    syncWithLocation: false,
    pagination: { pageSize: 5 },
    sorters: { initial: [{ field: 'cost_total', order: 'desc' }] },
  })
  const { mutate } = useUpdate({
    resource: 'bird_strikes',
    meta: { action: 'assign' },
    successNotification: false,
    errorNotification: false,
  })
  const { error } = grid.tableQuery
  useEffect(() => (error === null ? undefined : showError(error)), [error])
  useEffect(
    () => void Object.assign(globalThis, { grid, change: (asked: Change) => mutate(asked, { onError: showError }) }),
  )
  const rows = grid.result.data.map(({ id, cost_total, assignee }) =>
    createElement('li', { key: id }, `id=${id} cost=${cost_total} assignee=${assignee}`),
  )
  return createElement('ol', { 'aria-label': `${grid.result.total} reports` }, rows)
}

createRoot(element('grid')).render(
  createElement(
    Refine,
    {
      dataProvider: refineDataProvider(client, baseUrl),
      resources: [{ name: 'bird_strikes', list: '/' }],
      options: {
        disableTelemetry: true,
        reactQuery: { clientConfig: { defaultOptions: { queries: { retry: false } } } },
      },
    },
    createElement(Strikes),
  ),
)
