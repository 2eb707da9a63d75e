import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { limits } from '../support/run/limits.ts'

/** What needs a browser is apart from `npm test`, so that it needs none. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/browser/**/*.test.ts'],
    // Each file starts a stack and a browser of its own.
    fileParallelism: false,
    ...limits,
  },
})
