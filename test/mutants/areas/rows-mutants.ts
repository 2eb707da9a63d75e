import { createMutants } from '../mutant.ts'

export const rowsMutants = createMutants(
  'rows',
  ['test/lib/rows', 'test/api/cells.test.ts'],
  [
    ["['script', 'style', 'iframe',", "['script', 'iframe',"],
    ['stripIgnoreTag: true', 'stripIgnoreTag: false'],
    [" || 'copies' in action", '', 'test/api/row-actions.test.ts'],
  ],
)
