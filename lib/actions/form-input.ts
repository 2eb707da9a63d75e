import { parseWith } from '../errors/schema-faults.ts'
import type { AnyBulkAction, AnyRowAction } from '../table/compiled-table.ts'

type Body = Readonly<Record<string, unknown>>

/** What an action's form makes of a request's body. Throws `validation_failed` naming each field that does not fit. */
export const readInput = ({ form }: Pick<AnyRowAction | AnyBulkAction, 'form'>, body: Body): unknown =>
  form === undefined ? undefined : parseWith(form, { ...body }, [])
