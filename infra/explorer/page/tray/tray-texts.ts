import { countNoun, groupDigits, nouns } from '../../../../lib/i18n/count-noun.ts'

/** The rows behind a preposition. */
const countRows = (count: number) => countNoun(count, nouns.row, { format: groupDigits, genitive: true })

const english = {
  jobs: 'Jobs',
  otherJob: (name: string) => name || 'Job of another tab',
  notifications: 'Notifications',
  noJobs: 'No jobs in this tab yet',
  noNotifications: 'No notifications',
  markRead: 'Mark all as read',
  unread: (total: number) => `${groupDigits(total)} unread`,
  progress: (done: number, total: number) => `${groupDigits(done)} of ${countRows(total).en}`,
  live: 'Live',
  notLive: 'Not live',
  jobStates: {
    queued: 'Waiting',
    running: 'Running',
    succeeded: 'Done',
    failed: 'Failed',
    cancelled: 'Cancelled',
    unknown: 'Unknown',
  } as Readonly<Record<string, string>>,
  isUnread: 'Unread',
  levels: { info: 'Information', success: 'Success', warning: 'Warning', danger: 'Error' } as Readonly<
    Record<string, string>
  >,
}

const arabic: typeof english = {
  jobs: 'المهام',
  otherJob: () => 'مهمة من علامة تبويب أخرى',
  notifications: 'الإشعارات',
  noJobs: 'لا توجد مهام في علامة التبويب هذه بعد',
  noNotifications: 'لا توجد إشعارات',
  markRead: 'تعيين الكل كمقروء',
  unread: (total) => `غير المقروء: ${groupDigits(total)}`,
  progress: (done, total) => `${groupDigits(done)} من أصل ${countRows(total).ar}`,
  live: 'مباشر',
  notLive: 'التحديث المباشر متوقف',
  jobStates: {
    queued: 'في الانتظار',
    running: 'قيد التنفيذ',
    succeeded: 'اكتملت',
    failed: 'فشلت',
    cancelled: 'أُلغيت',
    unknown: 'غير معروفة',
  },
  isUnread: 'غير مقروء',
  levels: { info: 'معلومة', success: 'نجاح', warning: 'تحذير', danger: 'خطأ' },
}

/** The texts of jobs and notifications, which are not in the first script. */
export const trayTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
