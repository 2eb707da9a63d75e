import { CoreAdminContext, ListBase, useListContext, useUpdate, useUpdateMany } from 'ra-core'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { reactAdminProvider } from '../../../lib/client/adapters/react-admin.ts'
import { client, element, showError } from './page-client.ts'

function Strikes() {
  const grid = useListContext()
  const [update] = useUpdate()
  const [updateMany] = useUpdateMany()
  const { data = [], total, error } = grid
  useEffect(() => (error ? showError(error) : undefined), [error])
  useEffect(() => void Object.assign(globalThis, { grid, update, updateMany }))
  const rows = data.map(({ id, cost_total, assignee }) =>
    createElement('li', { key: id }, `id=${id} cost=${cost_total} assignee=${assignee}`),
  )
  return createElement('ol', { 'aria-label': `${total} reports` }, rows)
}

createRoot(element('grid')).render(
  createElement(
    CoreAdminContext,
    { dataProvider: reactAdminProvider(client) },
    createElement(
      ListBase,
      {
        resource: 'bird_strikes',
        perPage: 5,
        sort: { field: 'cost_total', order: 'DESC' },
        disableSyncWithLocation: true,
      },
      createElement(Strikes),
    ),
  ),
)
