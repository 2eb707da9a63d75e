import type { Bilingual } from '../i18n/language.ts'
import type { BulkResponse } from '../wire/vocabulary.ts'
import type { ExportFormat } from './action-definition.ts'

/** Returns what an export is called whose author gives it no label. */
export function exportLabel(response: BulkResponse, format: ExportFormat): Bilingual {
  switch (response) {
    case 'instant':
      return format === 'csv' ? { en: 'Export CSV', ar: 'تصدير إلى CSV' } : { en: 'Export Excel', ar: 'تصدير إلى إكسل' }
    case 'email':
      return { en: 'Report by e-mail', ar: 'تقرير بالبريد الإلكتروني' }
    case 'notification':
      return { en: 'Prepare an export', ar: 'إعداد ملف للتصدير' }
    case 'websocket':
      return { en: 'Export with progress', ar: 'تصدير مع متابعة التقدم' }
  }
}
