import { createMutants } from '../mutant.ts'

export const effectsMutants = createMutants(
  'effects',
  ['test/api/effects.test.ts'],
  [
    ['matching.has(key) ? items[index] : undefined', 'items[index]'],
    ['const refetch = keys.length > 0 ? parts : []', 'const refetch = parts'],
    ['if (keys.length > maxRows) return whole', ''],
    ['> maxLength) return whole', '< 0) return whole'],
    ['(hasOpenForm(definition) || fields', '(fields'],
    ['const warnings = plan.warnings.length > 0 && {', 'const warnings = plan.warnings.length > 9 && {'],
    ['isOfForm(key) || !effectKeys.has(key)', 'true'],
  ],
)
