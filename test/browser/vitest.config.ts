import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { limits } from '../support/run/limits.ts'

/** Tests that need a browser run apart from `npm test`, which needs none. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/browser/**/*.test.ts'],
    // Each file starts a stack and a browser of its own.
    fileParallelism: false,
    globalSetup: ['test/support/run/shared-directory.ts'],
    ...limits,
  },
})
