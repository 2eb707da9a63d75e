import type { Registry } from '../table/registry.ts'
import { wholeView } from '../table/view.ts'
import { type Described, type OpenApiDocument, openApiDocument } from './open-api-document.ts'

/** The document of all that a registry has on a guard, whoever may see it: for frontends of one's own, and without examples. */
export const wholeDocument = (
  { tables }: Registry,
  about: Pick<Described, 'service' | 'guard' | 'baseUrl' | 'language'>,
): OpenApiDocument =>
  openApiDocument({ ...about, tables: [...tables.values()].map((table) => wholeView(table, about.guard)) })
