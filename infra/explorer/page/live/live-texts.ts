import { type CountedNoun, countNoun, nouns } from '../../../../lib/i18n/count-noun.ts'
import type { LiveSign } from './use-live-rows.ts'

/** How many rows have changed, entered or left since the last summary. */
interface RowCounts {
  readonly changed: number
  readonly entered: number
  readonly left: number
}

const rows = nouns.row satisfies CountedNoun

const english = {
  live: 'Live',
  help: 'Shows what others change as it happens.',
  signs: { off: '', waiting: '', live: '', stale: 'Updating …', lost: 'Connecting …', ended: 'Off' },
  changed: (count: number) => `${countNoun(count, rows).en} changed`,
  entered: (count: number) => `${countNoun(count, rows).en} added to the page`,
  left: (count: number) => `${countNoun(count, rows).en} gone from the page`,
}

const arabic: typeof english = {
  live: 'مباشر',
  help: 'يعرض ما يغيّره الآخرون فور حدوثه.',
  signs: { off: '', waiting: '', live: '', stale: 'جارٍ التحديث …', lost: 'جارٍ الاتصال …', ended: 'متوقف' },
  changed: (count) => `الصفوف المتغيّرة: ${countNoun(count, rows).ar}`,
  entered: (count) => `أُضيف إلى الصفحة: ${countNoun(count, rows).ar}`,
  left: (count) => `غادر الصفحة: ${countNoun(count, rows).ar}`,
}

/** The texts of live rows, which are not in the first script. */
export const liveTexts: Readonly<
  Record<'en' | 'ar', typeof english & { readonly signs: Readonly<Record<LiveSign, string>> }>
> = { en: english, ar: arabic }

/** Describes in one sentence what has changed. */
export function summarize(language: 'en' | 'ar', counts: RowCounts): string {
  const texts = liveTexts[language]
  const kinds = ['changed', 'entered', 'left'] as const
  const phrases = kinds.filter((kind) => counts[kind] > 0).map((kind) => texts[kind](counts[kind]))
  return phrases.join(language === 'ar' ? '، ' : ', ')
}
