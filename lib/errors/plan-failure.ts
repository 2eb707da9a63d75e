import type { Bilingual } from '../i18n/language.ts'
import { RequestError } from './request-error.ts'

/** The failures of plans: apart from the catalogue, because functions that only read rows need none of them. */
const failures = {
  plan_expired: {
    en: 'The plan has expired; nothing was changed, so make a new one',
    ar: 'انتهت صلاحية الخطة؛ لم يتغير شيء، فأنشئ خطة جديدة',
  },
  plan_outdated: {
    en: 'The row has changed since it was planned; nothing was changed',
    ar: 'تغيّر الصف بعد وضع الخطة؛ لم يتغير شيء',
  },
  too_many_plans: {
    en: 'You may have 100 plans at once; apply one of them or wait until they expire',
    ar: 'يمكنك الاحتفاظ بـ 100 خطة في الوقت نفسه؛ نفّذ إحداها أو انتظر انتهاء صلاحيتها',
  },
} as const satisfies Readonly<Record<string, Bilingual>>

type PlanFailureCode = keyof typeof failures

/** Creates a 422 about a plan; `payload` has further keys of the response. */
export const planFailure = (code: PlanFailureCode, payload: Readonly<Record<string, unknown>> = {}): RequestError =>
  new RequestError('action_failed', {}, { code, text: failures[code], payload })

/** The reason why a planned row was left alone. */
export const outdatedRow = { code: 'plan_outdated', text: failures.plan_outdated } as const
