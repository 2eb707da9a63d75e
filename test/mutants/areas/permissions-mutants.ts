import { createMutants } from '../mutant.ts'

export const permissionsMutants = createMutants(
  'permissions',
  ['test/infra/security.test.ts'],
  [
    ["share: 1, uses: ['writes files', 'reads files', 'removes files'] }", "share: 1, uses: ['reads files'] }"],
    [
      "'cancel-job': { ...light, share: 1, uses: ['pushes'] }",
      "'cancel-job': { ...light, share: 1, uses: ['pushes', 'removes files'] }",
    ],
  ],
)
