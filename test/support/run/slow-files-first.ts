import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders and files whose tests wait for processes, stacks and faults, the slowest first. */
const slow = [
  'test/e2e/',
  'test/upgrade/',
  'test/faults/',
  'test/api/job-faults',
  'test/api/failover',
  'test/lib/client/',
  'test/infra/scaffold-',
  'test/infra/migrate-function',
  'test/lib/db/migrate',
  'test/properties/',
  'test/infra/',
]

/**
 * Starts the slow files first, so that none of them is left over when the others are done. Files that share a process follow each
 * other without a gap: a worker ends as soon as a file of another kind is next.
 */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    return bySize.toSorted((one, other) => place(one) - place(other))
  }
}

const place = (file: TestSpecification) => rank(file) + (file.project.config.isolate ? 0 : 2 * slow.length)

function rank({ moduleId, project }: TestSpecification): number {
  const path = relative(project.config.root, moduleId)
  const at = slow.findIndex((prefix) => path.startsWith(prefix))
  return at === -1 ? slow.length : at
}
