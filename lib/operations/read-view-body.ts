import * as z from 'zod/mini'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { parseWith } from '../errors/schema-faults.ts'
import { readWhole } from '../query/read-value.ts'
import { checkViewQuery, pagePartKeys, rowKeys } from './check-view-query.ts'
import { ownValue, type TableRequest, type UnknownBody } from './table-request.ts'

/** As JSON, so that a list of views fits into one response. */
const maxQueryLength = 16_384

// A name is shown inside other texts, so it must not end their line or turn their direction.
const name = z.string().check(
  z.trim(),
  z.minLength(1),
  z.maxLength(100),
  z.refine(
    (text) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) && !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(text),
    {
      error: 'must hold a visible character, and none that ends a line or turns the direction of text',
      params: { ar: 'يجب أن يتضمن حرفًا مرئيًا، وألا يتضمن محرفًا ينهي السطر أو يغيّر اتجاه النص' },
    },
  ),
)

const optional = {
  visibility: z.optional(z.enum(['private', 'shared'])),
  is_default: z.optional(z.boolean()),
}

const query = z.record(z.string(), z.unknown())

const newView = z.strictObject({ name, ...optional, query })

const changes = z.strictObject({
  name: z.optional(name),
  ...optional,
  query: z.optional(query),
  revision: z.optional(z.int()),
})

/** Reads the body that saves a new view. Throws `validation_failed` naming each key that does not fit. */
export async function readNewView(request: TableRequest) {
  const { query: asked, ...settings } = parseWith(newView, ownBody(request), [])
  return { ...settings, query: await readQuery(request, asked) }
}

/** Reads the body that changes a view. Throws `validation_failed` naming each key that does not fit. */
export async function readViewChanges(request: TableRequest) {
  const { query: asked, ...settings } = parseWith(changes, ownBody(request), [])
  return { ...settings, ...(asked !== undefined && { query: await readQuery(request, asked) }) }
}

/** The body without the params of the table, which belong to the request and not to the view. */
const ownBody = ({ body }: TableRequest): UnknownBody =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'params'))

async function readQuery(request: TableRequest, asked: UnknownBody): Promise<UnknownBody> {
  const known = [...rowKeys, 'per_page', ...pagePartKeys]
  const wrong = Object.keys(asked).find((key) => !known.includes(key))
  if (wrong !== undefined) throw validationFailed({ [`query.${wrong.slice(0, maxKeyLength)}`]: [listOptions(known)] })
  const kept = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null))
  if (JSON.stringify(kept).length > maxQueryLength)
    throw validationFailed({ query: [fieldFault('too_long', { max: maxQueryLength })] })
  const size = ownValue(kept, 'per_page')
  if (size !== undefined) readWhole(size, 1, request.table.maxPerPage, 'query.per_page')
  await checkViewQuery(request, kept, 'query')
  return kept
}

const maxKeyLength = 100
