import { type $ZodIssue, type $ZodRawIssue, type $ZodType, type output, safeParse } from 'zod/v4/core'
import type { Bilingual } from '../i18n/language.ts'
import { type FaultCode, fieldFault, listOptions } from './field-fault.ts'
import { assertReadableTexts } from './readable-text.ts'
import { validationFailed } from './request-error.ts'

const maxFaults = 10
const maxPathLength = 100

/** A fault of the body as a whole. */
const whole = 'body'

/**
 * A value as an author's schema makes of it. Throws `validation_failed` naming each wrong key, behind the path given. A
 * message of the author's own stands as it is; its Arabic is the `params.ar` of a check.
 */
export function parseWith<Schema extends $ZodType>(
  schema: Schema,
  value: unknown,
  path: readonly string[],
): output<Schema> {
  assertReadableTexts(value, path)
  const parsed = safeParse(schema, value, { reportInput: true, error: (issue) => issueFault(issue).en })
  if (parsed.success) return parsed.data
  const fields: Record<string, Bilingual[]> = Object.create(null)
  for (const issue of parsed.error.issues) {
    for (const place of listPaths(issue)) {
      const name = [...path, ...place].join('.').slice(0, maxPathLength) || whole
      if (fields[name] === undefined && Object.keys(fields).length === maxFaults) break
      fields[name] = [...(fields[name] ?? []), issueText(issue)].slice(0, maxFaults)
    }
  }
  throw validationFailed(fields)
}

/** Names each unknown key in an entry of its own. */
function listPaths(issue: $ZodIssue): readonly (readonly string[])[] {
  const path = issue.path.map(String)
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
}

function issueText(issue: $ZodIssue): Bilingual {
  const fault = issueFault(issue as $ZodRawIssue)
  if (issue.message === fault.en) return fault
  const arabic = issue.code === 'custom' ? issue.params?.['ar'] : undefined
  return { en: issue.message, ar: typeof arabic === 'string' ? arabic : fault.ar }
}

type Fault = Parameters<typeof fieldFault>

const byType: Readonly<Record<string, FaultCode>> = {
  string: 'not_a_text',
  number: 'not_a_number',
  int: 'not_a_whole_number',
  boolean: 'not_a_boolean',
  array: 'not_a_list',
  tuple: 'not_a_list',
  object: 'not_an_object',
  record: 'not_an_object',
  date: 'not_a_date',
}

const byFormat: Readonly<Record<string, FaultCode>> = {
  email: 'not_an_email',
  uuid: 'not_a_uuid',
  guid: 'not_a_uuid',
  date: 'not_a_day',
  datetime: 'not_a_moment',
  time: 'not_a_time',
  url: 'not_a_url',
  starts_with: 'not_beginning',
  ends_with: 'not_ending',
  includes: 'not_holding',
}

/** Describes an issue of a schema in the words of this service. */
function issueFault(issue: $ZodRawIssue): Bilingual {
  if (issue.code === 'invalid_value' && issue.input !== undefined) return listOptions(issue.values)
  return fieldFault(...findFault(issue))
}

function findFault(issue: $ZodRawIssue): Fault {
  // JSON has no `undefined`, so such a value is missing.
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return ['required']
  if (issue.code === 'invalid_type') return [byType[issue.expected] ?? 'not_valid']
  if (issue.code === 'too_small') return tooSmall(issue)
  if (issue.code === 'too_big') return tooBig(issue)
  if (issue.code === 'not_multiple_of') return ['not_a_multiple', { of: String(issue.divisor) }]
  if (issue.code === 'unrecognized_keys') return ['not_known']
  if (issue.code === 'invalid_union') return [issue['note'] === undefined ? 'not_valid' : 'not_an_option']
  if (issue.code !== 'invalid_format') return ['not_valid']
  const part = issue['prefix'] ?? issue['suffix'] ?? issue['includes']
  return [byFormat[issue.format] ?? 'not_of_form', { part: String(part) }]
}

type Bound = Readonly<Record<'origin' | 'minimum' | 'maximum' | 'inclusive' | 'exact', unknown>>

const isList = ({ origin }: Bound): boolean => ['array', 'set', 'map', 'file'].includes(String(origin))

function tooSmall(issue: object): Fault {
  const bound = issue as Bound
  const min = toBoundText(bound.minimum)
  if (bound.exact === true && bound.origin === 'string') return ['not_of_length', { max: min }]
  if (bound.exact === true && isList(bound)) return ['not_of_size', { max: min }]
  if (bound.origin === 'string') return bound.minimum === 1 ? ['empty'] : ['too_short', { min }]
  if (isList(bound)) return bound.minimum === 1 ? ['empty'] : ['too_few', { min }]
  return [bound.inclusive === false ? 'not_more' : 'too_small', { min }]
}

function tooBig(issue: object): Fault {
  const bound = issue as Bound
  const max = toBoundText(bound.maximum)
  if (bound.origin === 'string') return [bound.exact === true ? 'not_of_length' : 'too_long', { max }]
  if (isList(bound)) return [bound.exact === true ? 'not_of_size' : 'too_many', { max }]
  return [bound.inclusive === false ? 'not_less' : 'too_big', { max }]
}

/** The bounds of dates are dates, or their milliseconds. */
const toBoundText = (bound: unknown): string => (bound instanceof Date ? bound.toISOString() : String(bound))
