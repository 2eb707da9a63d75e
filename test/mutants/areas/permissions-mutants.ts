import { createMutants } from '../mutant.ts'

export const permissionsMutants = createMutants(
  'permissions',
  ['test/infra/security.test.ts'],
  [["share: 1, uses: ['reads files'] }", "share: 1, uses: ['reads files', 'removes files'] }"]],
)
