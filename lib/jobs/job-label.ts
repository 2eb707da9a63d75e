import { type Bilingual, textOf } from '../i18n/language.ts'
import { labelFromKey } from '../table/action-key.ts'
import type { BulkAction } from '../table/compiled-table.ts'

/** What an action is called, in both languages; of one that no longer exists only the key is known. */
export function labelOf({
  key,
  definition,
}: {
  readonly key: string
  readonly definition?: BulkAction['definition']
}): Bilingual {
  const label = definition?.label ?? labelFromKey(key)
  return { en: textOf(label, 'en'), ar: textOf(label, 'ar') }
}
