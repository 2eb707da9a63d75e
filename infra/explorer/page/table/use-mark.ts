import { useMemo } from 'react'
import { parts } from '../parts.ts'
import { usePart } from '../state/part.ts'
import type { Mark } from './cell.tsx'

/**
 * Returns what marks the words of a search in cells. It stays the same for the same search, so that rows are not drawn
 * again.
 */
export function useMark(search: string): Mark | undefined {
  const isSearched = search !== ''
  const asking = usePart(parts.asking, isSearched)
  return useMemo(() => (isSearched ? asking?.createMarker(search) : undefined), [asking, isSearched, search])
}
