import type { Bilingual } from '../i18n/language.ts'
import type { RequestError } from './request-error.ts'

/** A limit that a caller has reached: `max` units in `seconds`. */
interface ReachedLimit {
  readonly kind: 'requests' | 'exports' | 'mails'
  readonly max: number
  readonly seconds: number
}

interface LimitWords {
  readonly units: Bilingual
  readonly span: Bilingual
}

const words: Readonly<Record<ReachedLimit['kind'], LimitWords>> = {
  requests: { units: { en: 'requests', ar: 'الطلبات' }, span: { en: 'a minute', ar: 'في الدقيقة' } },
  exports: { units: { en: 'exports', ar: 'عمليات التصدير' }, span: { en: 'an hour', ar: 'في الساعة' } },
  mails: { units: { en: 'mails', ar: 'رسائل البريد الإلكتروني' }, span: { en: 'a day', ar: 'في اليوم' } },
}

/** The rest of what a `RequestError` is made of. */
type Refusal = readonly [
  details: Readonly<Record<string, Bilingual | number>>,
  options: { readonly headers: RequestError['headers'] },
]

/**
 * Describes the 429 `too_many_requests` for a caller who has reached a limit. The headers are those of
 * draft-ietf-httpapi-ratelimit-headers-10; they tell of the caller's own use alone.
 */
export function describeRefusal({ kind, max, seconds }: ReachedLimit, waitSeconds: number): Refusal {
  const wait = Math.max(1, Math.ceil(waitSeconds))
  const headers = {
    'retry-after': String(wait),
    ratelimit: `"${kind}";r=0;t=${wait}`,
    'ratelimit-policy': `"${kind}";q=${max};w=${seconds}`,
  }
  return [{ ...words[kind], max, wait }, { headers }]
}
