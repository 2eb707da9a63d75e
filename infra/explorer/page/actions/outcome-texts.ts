import { countNoun, groupDigits, nouns } from '../../../../lib/i18n/count-noun.ts'

const countRows = (count: number) => countNoun(count, nouns.row, { format: groupDigits, genitive: true })

const english = {
  started: 'Started. Its progress is under Notifications and jobs.',
  notDone: (failed: number) => `Not done for ${countRows(failed).en}`,
  downloadStarted: (name: string) => `The download has started: ${name}`,
}

const arabic: typeof english = {
  started: 'بدأ التنفيذ. تجد تقدّمه ضمن الإشعارات والمهام.',
  notDone: (failed) => `تعذّر التنفيذ على ${countRows(failed).ar}`,
  downloadStarted: (name) => `بدأ تنزيل الملف: \u2068${name}\u2069`,
}

/** The texts of what an action did, which are not in the first script. */
export const outcomeTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }
