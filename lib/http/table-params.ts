import { type $ZodIssue, type $ZodRawIssue, safeParse } from 'zod/v4/core'
import ar from 'zod/v4/locales/ar.js'
import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import type { CompiledTable } from '../table/compiled-table.ts'

const mostFaults = 10
const longestPath = 100
const arabic = ar().localeError

/** The request's `params` as the table's own schema makes of them. Throws `validation_failed` naming each wrong key. */
export function parseParams(table: CompiledTable, params: unknown): unknown {
  const schema = table.definition.params
  if (params !== undefined && params !== null && (typeof params !== 'object' || Array.isArray(params))) {
    throw validationFailed({ params: [fieldFault('not_an_object')] })
  }
  if (schema === undefined) return undefined
  const parsed = safeParse(schema, { ...params }, { reportInput: true })
  if (parsed.success) return parsed.data
  const fields: Record<string, Bilingual[]> = Object.create(null)
  for (const issue of parsed.error.issues.slice(0, mostFaults)) {
    const path = ['params', ...issue.path.map(String)].join('.').slice(0, longestPath)
    fields[path] = [...(fields[path] ?? []), { en: issue.message, ar: arabicText(issue) }]
  }
  throw validationFailed(fields)
}

function arabicText(issue: $ZodIssue): string {
  const text = arabic({ input: undefined, ...issue } as $ZodRawIssue)
  return (typeof text === 'string' ? text : text?.message) ?? fieldFault('not_valid').ar
}
