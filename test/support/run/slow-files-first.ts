import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Folders and files whose tests wait for processes, stacks and faults, the slowest first. The longest matching prefix
 * decides.
 */
const slow = [
  // Bundles the functions, which broken-assembly and the tests of the bundles then find in the cache.
  'test/e2e/journeys',
  'test/e2e/faults',
  // Those that wait stand between those that compute.
  'test/e2e/local-stack',
  'test/faults/jobs',
  'test/e2e/reports',
  'test/api/failover',
  'test/e2e/',
  'test/upgrade/',
  'test/faults/',
  'test/e2e/broken-assembly',
  'test/api/imports-bad-input',
  'test/infra/scaffold-',
  'test/infra/',
  'test/infra/bundle',
  'test/infra/many-tables',
  'test/properties/',
  'test/lib/reports/report-memory',
]

/**
 * Folders and files whose tests wait for leases and for the limits of hanging servers more than they compute, the
 * slowest first.
 */
const waiting = [
  'test/api/job-faults',
  'test/api/hanging-storage',
  'test/lib/jobs/killed-worker',
  'test/infra/migrate-function',
  'test/infra/event-source-mapping',
  'test/lib/push/',
  'test/api/action-pipeline',
  'test/lib/db/lost-connection',
  'test/lib/client/',
  'test/lib/jobs/',
  'test/lib/mail/',
  'test/api/unknown-outcome',
  'test/api/lost-queue-response',
  'test/lib/auth/jwks-fetch',
  'test/lib/db/migrate',
]

/**
 * Starts the slow files first, so that none of them is left over when the others are done. Files that share a process
 * follow each other without a gap: a worker ends as soon as a file of another project is next. At the start, slow files
 * take all workers but one, which runs those of the CDK: another worker would load and compile it again. Of the files
 * that share a process, those that wait stand between others, so that the workers do not all wait at once.
 */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = files.toSorted((one, other) => one.moduleId.localeCompare(other.moduleId))
    const alone = sorted.filter((file) => file.project.config.isolate)
    const shared = sorted.filter((file) => !file.project.config.isolate)
    const { cdk = [], infra = [], ...others } = Object.groupBy(shared, ({ project }) => project.name)
    const slowest = sortByPlace(slow, alone)
    const first = this.ctx.config.maxWorkers - 1
    return [
      ...slowest.slice(0, first),
      ...cdk,
      ...spreadWaiting(infra),
      ...slowest.slice(first),
      ...Object.values(others).flatMap((group = []) => spreadWaiting(group)),
    ]
  }
}

function spreadWaiting(files: readonly TestSpecification[]): TestSpecification[] {
  const waits = (file: TestSpecification) => findPlace(waiting, file) < waiting.length
  const others = files.filter((file) => !waits(file))
  return spread(sortByPlace(waiting, files.filter(waits)), sortByPlace(slow, others))
}

/**
 * Puts the rare items between the others, the first of them with the widest gaps and the last before a fifth of the
 * others.
 */
function spread<T>(rare: readonly T[], others: readonly T[]): T[] {
  const last = (others.length * 4) / 5
  const places = rare.map((_, index) => Math.floor(last * (1 - (1 - index / rare.length) ** 2)))
  const mixed = others.flatMap((item, place) => [...rare.filter((_, index) => places[index] === place), item])
  return others.length === 0 ? [...rare] : mixed
}

const sortByPlace = (prefixes: readonly string[], files: readonly TestSpecification[]) =>
  files.toSorted((one, other) => findPlace(prefixes, one) - findPlace(prefixes, other))

/** Returns the place of the longest prefix that the file's path has, after all of them if it has none. */
function findPlace(prefixes: readonly string[], { moduleId, project }: TestSpecification): number {
  const path = relative(project.config.root, moduleId)
  const [longest] = prefixes
    .filter((prefix) => path.startsWith(prefix))
    .toSorted((one, other) => other.length - one.length)
  return longest === undefined ? prefixes.length : prefixes.indexOf(longest)
}
