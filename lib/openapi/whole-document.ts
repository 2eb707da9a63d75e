import type { Registry } from '../table/registry.ts'
import { wholeView } from '../table/view.ts'
import { type Described, type OpenApiDocument, openApiDocument } from './open-api-document.ts'

/** The document of all that a registry has, whoever may see it: for frontends of one's own, and without examples. */
export function wholeDocument(
  { tables }: Registry,
  about: Pick<Described, 'service' | 'baseUrl' | 'language'>,
): OpenApiDocument {
  const all = [...tables.values()]
  return openApiDocument({
    ...about,
    tables: about.service.GUARDS.flatMap((guard) => all.map((table) => ({ guard, view: wholeView(table, guard) }))),
  })
}
