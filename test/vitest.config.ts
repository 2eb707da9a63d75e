import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { limits } from './support/run/limits.ts'
import { quickenProcesses } from './support/run/quicken-processes.ts'
import { SlowFilesFirst } from './support/run/slow-files-first.ts'

const root = resolve(import.meta.dirname, '..')

quickenProcesses()

/** Files that change or measure the whole process: each runs in one of its own. */
const alone = [
  // Requests that end while another file runs would be its uncaught errors and its log.
  'test/e2e/**/*.test.ts',
  'test/faults/{database,jobs,server}.test.ts',
  'test/upgrade/upgrade.test.ts',
  'test/api/failover.test.ts',
  // The first request of a process, and the first job.
  'test/api/cold-log.test.ts',
  'test/lib/jobs/job-directory.test.ts',
  // Uncaught errors.
  'test/lib/db/transaction-loss.test.ts',
]

/** Files that load the CDK. */
const cdk = [
  'test/infra/{alarms,commands,costs,explorer,first-deployment,migrations,monitoring,network,preflight*,routes}.test.ts',
  'test/infra/{security,stack,stack-settings,stage-checks,template-rules}.test.ts',
]

const files = {
  root,
  // Node runs these files as they are, which costs half of what transforming and linking them does.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: ['test/support/run/file-setup.ts'],
  // More workers than cores: threads that help to collect garbage only wait for a core, and compete for the work.
  // Room for new objects begins at 16 MB instead of 1: it is collected less often, and copies less.
  execArgv: ['--single-threaded-gc', '--min-semi-space-size=16'],
  ...limits,
}

const shared = {
  ...files,
  // A worker runs one file after the other: what they import is loaded once, which is most of the time of a short file.
  isolate: false,
}

export default defineConfig({
  root,
  test: {
    // A test whose loop finds nothing would pass. Vitest reads this of the projects nowhere.
    expect: { requireAssertions: true },
    // Most files wait for a server or a process more than they compute, so two workers a core and two more keep all
    // cores busy.
    maxWorkers: 2 * availableParallelism() + 2,
    sequence: { sequencer: SlowFilesFirst },
    // Vitest reads that of the projects nowhere.
    teardownTimeout: limits.teardownTimeout,
    globalSetup: ['test/support/run/shared-directory.ts', 'test/support/run/postgres-cluster.ts'],
    projects: [
      { root, test: { ...files, name: 'alone', include: alone } },
      // The CDK and its rules take 300 MB, which in the same process each collection of garbage of later files would
      // pass over.
      { root, test: { ...shared, name: 'cdk', include: cdk } },
      { root, test: { ...shared, name: 'infra', include: ['test/infra/**/*.test.ts'], exclude: cdk } },
      {
        root,
        test: {
          ...shared,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          // Those in a browser need one: `npm run test:browser`.
          exclude: [...configDefaults.exclude, 'test/browser/**', 'test/infra/**', ...alone],
        },
      },
      {
        root,
        test: {
          ...files,
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/types/**/*.test-d.ts'],
            // The compiler reads only what these files import, a fifth of the project.
            tsconfig: 'test/types/tsconfig.json',
            // `npm run types` reports those; here they would be reported a second time, as failures of no test.
            ignoreSourceErrors: true,
          },
        },
      },
    ],
  },
})
