import type { AnyBulkAction, AnyRowAction } from './compiled-table.ts'

/** The actions that every table has unless it switches them off or declares its own under the same key. */
export const defaultRowActions: Readonly<Record<string, AnyRowAction>> = {
  show_details: { label: { en: 'Show details', ar: 'عرض التفاصيل' }, onSuccess: 'DisplayOnModal' },
}

export const defaultBulkActions: Readonly<Record<string, AnyBulkAction>> = {
  export_excel: {
    label: { en: 'Export Excel', ar: 'تصدير إلى إكسل' },
    response: 'instant',
    export: 'excel',
    onSuccess: 'downloadData',
  },
}
