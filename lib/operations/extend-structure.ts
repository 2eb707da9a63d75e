import type { ResponseContext } from '../table/context.ts'
import { addEditing } from '../table/describe-editing.ts'
import { addFormerNames } from '../table/describe-former-names.ts'
import type { describeStructure } from '../table/structure.ts'
import type { TableView } from '../table/view.ts'

/** Adds to a structure what few tables have: cells that are edited, and former names. */
export const extendStructure = (
  structure: Awaited<ReturnType<typeof describeStructure>>,
  view: TableView,
  context: ResponseContext,
) => addFormerNames(addEditing(structure, view, context), view)
