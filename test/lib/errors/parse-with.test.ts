import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { parseWith } from '../../../lib/errors/parse-with.ts'
import { RequestError } from '../../../lib/errors/request-error.ts'

/** Returns the messages for a value that does not fit. */
function faults(schema: z.core.$ZodType, value: unknown, path: readonly string[] = []) {
  try {
    parseWith(schema, value, path)
  } catch (error) {
    if (error instanceof RequestError) return error.fields ?? {}
    throw error
  }
  throw new Error('it fits')
}

const field = (schema: z.core.$ZodType, value: unknown) =>
  faults(z.object({ field: schema as z.ZodType }), { field: value })['field']

describe('a field that does not fit', () => {
  it.each<[string, z.core.$ZodType, unknown, string]>([
    ['is missing', z.string(), undefined, 'is required'],
    ['is no text', z.string(), 7, 'must be a text'],
    ['is null', z.string(), null, 'must be a text'],
    ['is no number', z.number(), 'x', 'must be a number'],
    ['is no number that could be made one', z.coerce.number(), 'x', 'must be a number'],
    ['is half a number', z.int(), 1.5, 'must be a whole number'],
    ['is no boolean', z.boolean(), 'yes', 'must be true or false'],
    ['is no list', z.array(z.string()), {}, 'must be a list'],
    ['is no object', z.object({}), [], 'must be an object'],
    ['is no record', z.record(z.string(), z.number()), 1, 'must be an object'],
    ['is not one of several', z.enum(['a', 'b']), 'c', 'must be one of: a, b'],
    ['is not the only one', z.literal('a'), 'b', 'must be one of: a'],
    ['is empty', z.string().min(1), '', 'must not be empty'],
    ['is too short', z.string().min(2), 'x', 'must not be shorter than 2 characters'],
    ['is too long', z.string().max(2), 'xyz', 'must not be longer than 2 characters'],
    ['has another length', z.string().length(2), 'x', 'must have 2 characters'],
    ['is an empty list', z.array(z.int()).min(1), [], 'must not be empty'],
    ['has too few entries', z.array(z.int()).min(2), [1], 'must not hold fewer than 2 entries'],
    ['has too many entries', z.array(z.int()).max(1), [1, 2], 'must not hold more than 1 entries'],
    ['has another size', z.array(z.int()).length(2), [1], 'must hold 2 entries'],
    ['is too small', z.number().min(2), 1, 'must be 2 or more'],
    ['is not positive', z.number().positive(), 0, 'must be more than 0'],
    ['is too big', z.number().max(2), 3, 'must be 2 or less'],
    ['is not below', z.number().lt(2), 2, 'must be less than 2'],
    ['is no multiple', z.number().multipleOf(5), 7, 'must be a multiple of 5'],
    ['is no address', z.email(), 'x', 'must be a single e-mail address such as name@example.com'],
    ['is no UUID', z.uuid(), 'x', 'must be a UUID'],
    ['is no day', z.iso.date(), 'x', 'must be a date such as 2026-01-31'],
    ['is no moment', z.iso.datetime(), '2026-01-31', 'must be a date and time such as 2026-01-31T08:00:00Z'],
    ['is no time', z.iso.time(), 'x', 'must be a time such as 08:00:00'],
    ['is no URL', z.url(), 'x', 'must be a URL such as https://example.com'],
    ['begins otherwise', z.string().startsWith('ab'), 'x', 'must begin with "ab"'],
    ['ends otherwise', z.string().endsWith('ab'), 'x', 'must end with "ab"'],
    ['lacks something', z.string().includes('ab'), 'x', 'must contain "ab"'],
    ['has another form', z.string().regex(/^[A-Z]{3}$/), 'x', 'does not have the right form'],
    ['fits none of several', z.union([z.int(), z.boolean()]), 'x', 'is not valid'],
    ['is refused by a check', z.string().refine(() => false), 'x', 'is not valid'],
  ])('%s', (_what, schema, value, text) => {
    const [fault] = field(schema, value) ?? []
    expect(fault?.en).toBe(text)
    expect(fault?.ar).toMatch(/\p{Script=Arabic}/u)
    expect(fault?.ar).not.toMatch(/\{|undefined/)
  })

  it.each<[string, z.core.$ZodType, unknown, string]>([
    ['a date', z.iso.date(), 'x', 'يجب أن يكون تاريخًا مثل \u200e2026-01-31'],
    ['a negative number', z.number().min(-5), -6, 'يجب أن يكون \u200e-5 أو أكثر'],
  ])('has an Arabic text that keeps the order of %s', (_what, schema, value, text) => {
    expect(field(schema, value)?.[0]?.ar).toBe(text)
  })

  it('is described in the same words for a schema of zod and of zod/mini', () => {
    expect(field(mini.string().check(mini.minLength(2)), 'x')).toEqual(field(z.string().min(2), 'x'))
    expect(field(mini.string(), 7)).toEqual(field(z.string(), 7))
  })

  it.each<[string, z.core.$ZodType, unknown]>([
    ['of a type', z.string({ error: 'Own words' }), 7],
    ['of what is missing', z.string({ error: 'Own words' }), undefined],
    ['of a check', z.string().min(2, 'Own words'), 'x'],
    ['of a refinement', z.string().refine(() => false, 'Own words'), 'x'],
    ['of zod/mini', mini.string().check(mini.minLength(2, 'Own words')), 'x'],
  ])('is reported in the author’s words if there are some: %s', (_what, schema, value) => {
    const [fault] = field(schema, value) ?? []
    expect(fault?.en).toBe('Own words')
    expect(fault?.ar).toMatch(/\p{Script=Arabic}/u)
  })

  it('is reported in the author’s Arabic if a check has it', () => {
    const weekday = z
      .string()
      .refine(() => false, { error: 'must be a weekday', params: { ar: 'يجب أن يكون يوم عمل' } })
    expect(field(weekday, 'x')).toEqual([{ en: 'must be a weekday', ar: 'يجب أن يكون يوم عمل' }])
  })
})

describe('the name of a fault', () => {
  it('is its path behind that of the whole', () => {
    const schema = z.object({ address: z.object({ lines: z.array(z.string()) }) })
    expect(Object.keys(faults(schema, { address: { lines: ['a', 1] } }, ['params']))).toEqual([
      'params.address.lines.1',
    ])
  })

  it('is each unknown key', () => {
    const schema = z.strictObject({ a: z.strictObject({ b: z.int() }) })
    const found = faults(schema, { a: { b: 1, c: 2 }, d: 3, e: 4 })
    expect(Object.keys(found).sort()).toEqual(['a.c', 'd', 'e'])
    expect(found['d']?.[0]?.en).toBe('is not known here')
  })

  it('is the discriminator of a union without such a kind', () => {
    const schema = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a') }),
      z.object({ kind: z.literal('b') }),
    ])
    expect(faults(schema, { kind: 'c' })['kind']?.[0]?.en).toBe('is not one of the options')
  })

  it('is "body" if a rule about the whole body fails', () => {
    expect(
      Object.keys(
        faults(
          z.object({}).refine(() => false),
          {},
        ),
      ),
    ).toEqual(['body'])
  })

  it('is returned for the first ten faults only', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key${index}`, index]))
    expect(Object.keys(faults(z.strictObject({}), many))).toHaveLength(10)
    expect(Object.keys(faults(z.record(z.string(), z.string()), many))).toHaveLength(10)
  })
})
