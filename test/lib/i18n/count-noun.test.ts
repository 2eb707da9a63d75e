import { expect, it } from 'vitest'
import { countNoun, groupDigits, nouns } from '../../../lib/i18n/count-noun.ts'
import { addProgress, cancelledFailure } from '../../../lib/jobs/job-endings.ts'

it.each([
  [0, 'لا صفوف', '0 صف'],
  [1, 'صف واحد', 'صف واحد'],
  [2, 'صفان', 'صفين'],
  [3, '3 صفوف', '3 صفوف'],
  [10, '10 صفوف', '10 صفوف'],
  [11, '11 صفًا', '11 صفًا'],
  [99, '99 صفًا', '99 صفًا'],
  [100, '100 صف', '100 صف'],
  [101, '101 صف', '101 صف'],
  [102, '102 صف', '102 صف'],
  [103, '103 صفوف', '103 صفوف'],
  [111, '111 صفًا', '111 صفًا'],
  [200, '200 صف', '200 صف'],
  [1_000, '1000 صف', '1000 صف'],
  [3_000, '3000 صف', '3000 صف'],
])('writes %i rows in Arabic as "%s", behind a preposition as "%s"', (count, nominative, genitive) => {
  expect(countNoun(count, nouns.row).ar).toBe(nominative)
  expect(countNoun(count, nouns.row, { genitive: true }).ar).toBe(genitive)
})

it.each([
  [1, 'ثانية واحدة', 'ثانية واحدة'],
  [2, 'ثانيتان', 'ثانيتين'],
  [3, '3 ثوانٍ', '3 ثوانٍ'],
  [11, '11 ثانية', '11 ثانية'],
  [100, '100 ثانية', '100 ثانية'],
])('writes %i seconds in Arabic as "%s", behind a preposition as "%s"', (count, nominative, genitive) => {
  expect(countNoun(count, nouns.second).ar).toBe(nominative)
  expect(countNoun(count, nouns.second, { genitive: true }).ar).toBe(genitive)
})

it.each([
  [0, '0 rows'],
  [1, '1 row'],
  [2, '2 rows'],
  [3_000, '3,000 rows'],
])('writes %i rows in English as "%s"', (count, text) => {
  expect(countNoun(count, nouns.row, { format: groupDigits }).en).toBe(text)
})

it.each([
  [2, 10, 'أُلغيت المهمة بعد إنجاز 2 من أصل 10 صفوف', 'The job was cancelled after 2 of 10 rows'],
  [1, 2, 'أُلغيت المهمة بعد إنجاز 1 من أصل صفين', 'The job was cancelled after 1 of 2 rows'],
  [5, 1_100, 'أُلغيت المهمة بعد إنجاز 5 من أصل 1,100 صف', 'The job was cancelled after 5 of 1,100 rows'],
  [2, undefined, 'أُلغيت المهمة بعد إنجاز صفين', 'The job was cancelled after 2 rows'],
])('counts the rows of a job that was cancelled after %s of %s', (done, total, ar, en) => {
  expect(cancelledFailure({ rows: done, done, ...(total !== undefined && { total }) })).toMatchObject({ en, ar })
})

it('counts in the nominative what a failed job had done', () => {
  const failure = { code: 'timed_out', en: 'Too slow', ar: 'بطيء' } as const
  const counts = { selected: 2, succeeded: 2, failed: 0 }
  expect(addProgress(failure, { rows: 2, done: 2, counts }).ar).toBe('بطيء (أُنجز قبل ذلك صفان)')
})
