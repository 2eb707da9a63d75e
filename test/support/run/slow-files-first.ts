import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders and files whose tests wait for processes, stacks and faults, the slowest first. The longest matching prefix decides. */
const slow = [
  // Bundles the functions, which broken-assembly and the tests of the bundles then find in the cache.
  'test/e2e/journeys',
  'test/e2e/',
  'test/upgrade/',
  'test/faults/',
  'test/e2e/broken-assembly',
  'test/api/job-faults',
  'test/api/failover',
  'test/lib/client/',
  'test/infra/scaffold-',
  'test/infra/migrate-function',
  'test/lib/db/migrate',
  'test/properties/',
  'test/infra/',
]

/** Folders and files whose tests wait for leases and for the limits of hanging servers more than they compute. */
const waiting = [
  'test/lib/jobs/',
  'test/lib/mail/',
  'test/lib/push/',
  'test/lib/db/lost-connection',
  'test/api/hanging-storage',
  'test/api/action-sent-along',
  'test/api/unknown-outcome',
  'test/api/lost-queue-answer',
]

/**
 * Starts the slow files first, so that none of them is left over when the others are done. Files that share a process follow each
 * other without a gap: a worker ends as soon as a file of another kind is next. Of these, those that wait stand between others, so
 * that the workers do not all wait at once.
 */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
    const shared = ranked.filter((file) => !file.project.config.isolate)
    const waitingFiles = shared.filter((file) => isIn(waiting, file))
    const others = shared.filter((file) => !isIn(waiting, file))
    return [...ranked.filter((file) => file.project.config.isolate), ...spread(waitingFiles, others)]
  }
}

/** Puts one of the rare items in front of every third of the others. */
function spread<T>(rare: readonly T[], others: readonly T[]): T[] {
  const mixed = others.flatMap((item, index) =>
    index % 3 === 0 ? [...rare.slice(index / 3, index / 3 + 1), item] : [item],
  )
  return [...mixed, ...rare.slice(Math.ceil(others.length / 3))]
}

const findPath = ({ moduleId, project }: TestSpecification) => relative(project.config.root, moduleId)

const isIn = (prefixes: readonly string[], file: TestSpecification) =>
  prefixes.some((prefix) => findPath(file).startsWith(prefix))

function rank(file: TestSpecification): number {
  const [longest] = slow.filter((prefix) => isIn([prefix], file)).toSorted((one, other) => other.length - one.length)
  return longest === undefined ? slow.length : slow.indexOf(longest)
}
