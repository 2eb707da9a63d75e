import { plainValue } from '../auth/identity.ts'
import type { RequestPlace } from '../storage/request-place.ts'
import type { TableRequest } from './table-request.ts'

/** Names the caller, the table and the `params` of a request. */
export const requestPlace = ({ identity, guard, table, context }: TableRequest): RequestPlace => ({
  subject: identity.subject,
  guard,
  tableName: table.name,
  params: JSON.stringify(context.params ?? null, plainValue),
})
