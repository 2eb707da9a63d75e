import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { limits } from '../support/run/limits.ts'
import { quickenProcesses } from '../support/run/quicken-processes.ts'

quickenProcesses()

/** Tests that need a browser run apart from `npm test`, which needs none. */
export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/browser/**/*.test.ts'],
    // Each file starts a stack and a browser of its own, and waits for them in turn: three keep two cores busy.
    maxWorkers: 3,
    // A worker runs one file after the other: what they import is loaded once.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/support/run/shared-directory.ts'],
    ...limits,
    // A look at a page costs milliseconds of three processes; a busy machine has none to spare.
    expect: { poll: { ...limits.expect.poll, interval: 100 } },
  },
})
