import type { Bilingual } from '../i18n/language.ts'
import type { BulkResponse } from '../wire/vocabulary.ts'
import type { DefaultBulkActionKey, DefaultRowActionKey, ExportFormat } from './action-definition.ts'
import { actionKey } from './action-key.ts'
import type { AnyBulkAction, AnyRowAction, BulkAction, CompiledAction } from './compiled-table.ts'
import type { AnyTableDefinition, ReportFault } from './definition.ts'

/**
 * Lists the default actions that are not switched off, then the table's own. An own action replaces the default with
 * its key.
 */
export function compileActions<Definition>(
  defaults: Readonly<Record<string, Definition>>,
  own: Readonly<Record<string, Definition>> = {},
  { defaultActions = {} }: AnyTableDefinition,
  report: ReportFault,
): readonly CompiledAction<Definition>[] {
  const actions = new Map<string, CompiledAction<Definition>>()
  const switchedOff: ReadonlyMap<string, boolean> = new Map(Object.entries(defaultActions))
  for (const [name, definition] of Object.entries(defaults)) {
    if (switchedOff.get(name) !== false) actions.set(name, { key: name, name, definition })
  }
  const names = new Map<string, string>()
  for (const [name, definition] of Object.entries(own)) {
    const key = actionKey(name)
    const other = names.get(key)
    if (key === '') report(`the action "${name}" has no letter or digit to make a key of`)
    else if (other !== undefined) report(`the actions "${other}" and "${name}" share the key ${key}`)
    names.set(key, name)
    actions.set(key, { key, name, definition })
  }
  return [...actions.values()]
}

/** The bulk actions of a table; an export without a label has that of its kind. */
export function compileBulkActions(definition: AnyTableDefinition, report: ReportFault): readonly BulkAction[] {
  const actions = compileActions(defaultBulkActions, definition.bulkActions, definition, report)
  return actions.map((action) => {
    const { label, export: format, response = 'instant' } = action.definition
    if (label !== undefined || format === undefined) return action
    return { ...action, definition: { ...action.definition, label: exportLabel(response, format) } }
  })
}

/** Returns the label of an export whose author gives it none. */
function exportLabel(response: BulkResponse, format: ExportFormat): Bilingual {
  switch (response) {
    case 'instant':
      return format === 'csv'
        ? { en: 'Export CSV', ar: 'تصدير إلى CSV' }
        : { en: 'Export Excel', ar: 'تصدير إلى Excel' }
    case 'email':
      return { en: 'Report by e-mail', ar: 'تقرير بالبريد الإلكتروني' }
    case 'notification':
      return { en: 'Prepare an export', ar: 'إعداد ملف للتصدير' }
    case 'websocket':
      return { en: 'Export with progress', ar: 'تصدير مع متابعة التقدم' }
  }
}

/** The most rows that are worked on or exported while the client waits. */
export const maxInstantRows = 3_000

/** The most rows of a job unless an action says otherwise. */
export const maxJobRows = 100_000

/** The actions that every table has unless it switches them off or declares its own under the same key. */
export const defaultRowActions: Readonly<Record<DefaultRowActionKey, AnyRowAction>> = {
  show_details: { label: { en: 'Show details', ar: 'عرض التفاصيل' }, onSuccess: 'DisplayOnModal' },
}

const defaultBulkActions: Readonly<Record<DefaultBulkActionKey, AnyBulkAction>> = {
  export_excel: { response: 'instant', export: 'excel', onSuccess: 'downloadData' },
}
