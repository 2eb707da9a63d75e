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

/** Starts the slow files first, so that none of them is left over when the others are done. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    return bySize.toSorted((one, other) => rank(one) - rank(other))
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  const path = relative(project.config.root, moduleId)
  const at = slow.findIndex((prefix) => path.startsWith(prefix))
  return at === -1 ? slow.length : at
}
