import { type $ZodIssue, type $ZodRawIssue, type $ZodType, type output, safeParse } from 'zod/v4/core'
import ar from 'zod/v4/locales/ar.js'
import type { Bilingual } from '../i18n/language.ts'
import { fieldFault } from './field-fault.ts'
import { validationFailed } from './request-error.ts'

const mostFaults = 10
const longestPath = 100
const arabic = ar().localeError

/** A value as an author's schema makes of it. Throws `validation_failed` naming each wrong key, behind the path given. */
export function parseWith<Schema extends $ZodType>(
  schema: Schema,
  value: unknown,
  path: readonly string[],
): output<Schema> {
  const parsed = safeParse(schema, value, { reportInput: true })
  if (parsed.success) return parsed.data
  const fields: Record<string, Bilingual[]> = Object.create(null)
  for (const issue of parsed.error.issues.slice(0, mostFaults)) {
    const name = [...path, ...issue.path.map(String)].join('.').slice(0, longestPath)
    fields[name] = [...(fields[name] ?? []), faultOf(issue)]
  }
  throw validationFailed(fields)
}

/** JSON has no `undefined`: what is so is missing, which zod words for programmers. */
const faultOf = (issue: $ZodIssue): Bilingual =>
  issue.input === undefined ? fieldFault('required') : { en: issue.message, ar: arabicText(issue) }

function arabicText(issue: $ZodIssue): string {
  const text = arabic({ input: undefined, ...issue } as $ZodRawIssue)
  return (typeof text === 'string' ? text : text?.message) ?? fieldFault('not_valid').ar
}
