import { isReadableText } from '../errors/readable-text.ts'
import { RequestError } from '../errors/request-error.ts'
import { uuid } from '../query/read-value.ts'
import type { SavedView, ViewReader } from '../storage/saved-views.ts'
import type { TableRequest } from './table-request.ts'

/** Describes the caller to the store. If the table shares no views, the caller has no tenant. */
export function createReader({ table, identity, tenant }: TableRequest): ViewReader {
  const shares = table.definition.views?.shared === true
  return { tableName: table.name, subject: identity.subject, tenant: shares ? assertStorable(tenant()) : undefined }
}

const maxTenantLength = 200

function assertStorable(tenant: unknown): string | undefined {
  // Claims are often empty by default, which is no group of callers.
  if (tenant === undefined || tenant === '') return undefined
  if (typeof tenant === 'string' && tenant.length <= maxTenantLength && isReadableText(tenant)) return tenant
  throw new Error(`The tenant of a caller must be a text of at most ${maxTenantLength} characters`)
}

/** Reads the id of a view. Throws `view_not_found` for a text that is no id. */
export function readViewId(text: string | undefined): string {
  if (text === undefined || !uuid.test(text)) throw new RequestError('view_not_found')
  return text
}

/** Returns a view as clients see it; without its query if the caller may not use that now. */
export const viewEntry = (view: SavedView, isUsed = true) => ({
  id: view.id,
  name: view.name,
  visibility: view.visibility,
  is_default: view.isDefault,
  own: view.isOwn,
  revision: view.revision,
  created_at: view.createdAt,
  updated_at: view.updatedAt,
  ...(isUsed ? { query: view.query } : { usable: false }),
})
