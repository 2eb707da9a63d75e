import { type $ZodIssue, type $ZodRawIssue, type $ZodType, type output, safeParse } from 'zod/v4/core'
import type { Bilingual } from '../i18n/language.ts'
import { issueFault } from './issue-fault.ts'
import { assertReadableTexts } from './readable-text.ts'
import { validationFailed } from './request-error.ts'

const maxFaults = 10
const maxPathLength = 100

/** A fault of the body as a whole. */
const whole = 'body'

/**
 * A value as an author's schema makes of it. Throws `validation_failed` naming each wrong key, behind the path given. A message of
 * the author's own stands as it is; its Arabic is the `params.ar` of a check.
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
