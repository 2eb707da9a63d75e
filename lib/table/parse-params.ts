import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { parseWith } from '../errors/schema-faults.ts'
import type { CompiledTable } from './compiled-table.ts'

/** The request's `params` as the table's own schema makes of them. Throws `validation_failed` naming each wrong key. */
export function parseParams(table: CompiledTable, params: unknown): unknown {
  const schema = table.definition.params
  if (params !== undefined && params !== null && (typeof params !== 'object' || Array.isArray(params))) {
    throw validationFailed({ params: [fieldFault('not_an_object')] })
  }
  return schema === undefined ? undefined : parseWith(schema, { ...params }, ['params'])
}
