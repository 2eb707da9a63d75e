import { columnFilteringFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { serverSide } from '../../../lib/client/adapters/tanstack-table.ts'

it('changes filters of TanStack Table without a warning that a filter function is missing', () => {
  vi.stubEnv('NODE_ENV', 'development')
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => {
    vi.unstubAllEnvs()
    warn.mockRestore()
  })
  const features = tableFeatures({ columnFilteringFeature })
  const changed: unknown[] = []
  function Flights() {
    const table = useTable({
      ...serverSide,
      features,
      columns: [{ accessorKey: 'origin' }],
      data: [{ origin: 'ABI' }],
      onColumnFiltersChange: (change) => changed.push(typeof change === 'function' ? change([]) : change),
    })
    table.getColumn('origin')?.setFilterValue('ABI')
    return null
  }
  renderToString(createElement(Flights))
  expect(changed).toEqual([[{ id: 'origin', value: 'ABI' }]])
  expect(warn.mock.calls).toEqual([])
})
