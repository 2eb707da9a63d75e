import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { limits } from './support/run/limits.ts'
import { SlowFilesFirst } from './support/run/slow-files-first.ts'

const project = resolve(import.meta.dirname, '..')

// Two hundred workers and the processes that they start load the same modules: each is compiled once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= join(project, 'node_modules/.cache/compile')

export default defineConfig({
  root: project,
  test: {
    include: ['test/**/*.test.ts'],
    // Those need a browser: `npm run test:browser`.
    exclude: [...configDefaults.exclude, 'test/browser/**'],
    // Most files wait for a server or a process more than they compute, so two workers a core keep both cores busy.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: SlowFilesFirst },
    // Node runs these files as they are, which costs half of what transforming and linking them does.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/support/run/shared-directory.ts', 'test/support/run/postgres-cluster.ts'],
    setupFiles: ['test/support/run/quiet-log.ts'],
    typecheck: {
      enabled: true,
      include: ['test/types/**/*.test-d.ts'],
      tsconfig: 'tsconfig.json',
      // `npm run types` reports those; here they would be reported a second time, as failures of no test.
      ignoreSourceErrors: true,
    },
    ...limits,
  },
})
