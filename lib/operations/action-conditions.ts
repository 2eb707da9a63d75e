import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { readWhole, truths } from '../query/read-value.ts'
import { ownValue, type UnknownBody } from './table-request.ts'

/** The conditions by which a client keeps an action from doing more than was meant. */
export interface ActionConditions {
  /** The number of rows that the action must run on; on any other it runs on none. */
  readonly expectedCount: number | undefined
  /** Reports what would change, and changes nothing. */
  readonly dryRun: boolean
}

const maxRows = 2 ** 31 - 1

/** Reads `expected_count` and `dry_run`. Throws `validation_failed`. */
export function readConditions(body: UnknownBody): ActionConditions {
  const count = ownValue(body, 'expected_count') ?? undefined
  const dryRun = truths.get(ownValue(body, 'dry_run') ?? false)
  if (dryRun === undefined) throw validationFailed({ dry_run: [fieldFault('not_a_boolean')] })
  return { expectedCount: count === undefined ? undefined : readWhole(count, 0, maxRows, 'expected_count'), dryRun }
}
