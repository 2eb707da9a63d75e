import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** What needs a browser is apart from `npm test`, so that it needs none. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/browser/**/*.test.ts'],
    // Each file starts a stack and a browser of its own.
    fileParallelism: false,
    // A loaded machine is slow, not wrong.
    expect: { poll: { timeout: 120_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
  },
})
