import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  root: resolve(import.meta.dirname, '..'),
  test: {
    include: ['test/**/*.test.ts'],
    // Those need a browser: `npm run test:browser`.
    exclude: [...configDefaults.exclude, 'test/browser/**'],
    // Most files wait for a server or a process more than they compute, so two workers a core keep both cores busy.
    maxWorkers: 2 * availableParallelism(),
    globalSetup: ['test/support/postgres-cluster.ts'],
    typecheck: {
      enabled: true,
      include: ['test/types/**/*.test-d.ts'],
      tsconfig: 'tsconfig.json',
      // `npm run types` reports those; here they would be reported a second time, as failures of no test.
      ignoreSourceErrors: true,
    },
    // A loaded machine is slow, not wrong: these only bound a test that hangs.
    testTimeout: 30_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
})
