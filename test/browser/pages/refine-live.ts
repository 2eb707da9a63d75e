import { Refine, useTable } from '@refinedev/core'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { refineDataProvider } from '../../../lib/client/adapters/refine.ts'
import { refineLive } from '../../../lib/client/adapters/refine-live.ts'
import { baseUrl, changes, client, element, live, showError } from './page-client.ts'

interface Strike {
  readonly id: number
  readonly assignee: string | null
}

function Strikes() {
  const grid = useTable<Strike>({
    resource: 'bird_strikes',
    syncWithLocation: false,
    pagination: { pageSize: 5 },
    sorters: { initial: [{ field: 'assignee', order: 'asc' }] },
  })
  const { error } = grid.tableQuery
  useEffect(() => (error === null ? undefined : showError(error)), [error])
  useEffect(() => void Object.assign(globalThis, { grid, changes }))
  const rows = grid.result.data.map(({ id, assignee }) =>
    createElement('li', { key: id }, `id=${id} assignee=${assignee}`),
  )
  return createElement('ol', { 'aria-label': `${grid.result.total} reports` }, rows)
}

const watched = refineLive(client, live)

createRoot(element('grid')).render(
  createElement(
    Refine,
    {
      dataProvider: refineDataProvider(watched.client, baseUrl),
      liveProvider: watched.liveProvider,
      resources: [{ name: 'bird_strikes', list: '/' }],
      options: {
        disableTelemetry: true,
        liveMode: 'auto',
        reactQuery: { clientConfig: { defaultOptions: { queries: { retry: false } } } },
      },
    },
    createElement(Strikes),
  ),
)
