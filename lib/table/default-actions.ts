import type { BulkActionDefinition, RowActionDefinition } from './action-definition.ts'
import type { AnyRow, AnyScope } from './compiled-table.ts'

/** The actions that every table has unless it switches them off or declares its own under the same key (specification 2.1). */
export const defaultRowActions: Readonly<Record<string, RowActionDefinition<AnyRow, AnyScope>>> = {
  show_details: { label: { en: 'Show details', ar: 'عرض التفاصيل' }, onSuccess: 'DisplayOnModal' },
}

export const defaultBulkActions: Readonly<Record<string, BulkActionDefinition<AnyScope>>> = {
  export_excel: { label: { en: 'Export Excel', ar: 'تصدير إكسل' }, response: 'instant', onSuccess: 'downloadData' },
}
