import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow, type Table } from '../../lib/index.ts'
import { samples } from '../support/fixtures/fixture-schema.ts'

const valid = { name: 'valid', from: samples, key: 'id', scope: everyRow, columns: { short: { label: 'Short' } } }

/** The mistakes that types refuse are cast, as an author without types would make them. */
const register = (changes: object) => () =>
  createRegistry([{ definition: { ...valid, ...changes } } as unknown as Table<Record<string, unknown>>])

describe('createRegistry', () => {
  it.each<[string, object, RegExp]>([
    ['with an action that does nothing', { rowActions: { act: {} } }, /the action "act" has neither run nor runAll/],
    [
      'with a toggle that does nothing',
      { rowActions: { act: { type: 'toggle', current: () => true } } },
      /has neither run/,
    ],
    [
      'with several rows that nothing runs on',
      { rowActions: { go: { type: 'redirect', to: () => '/', bulk: true } } },
      /the action "go" has bulk, but neither run nor runAll/,
    ],
    [
      'with a form to open that is none',
      { rowActions: { act: { onSuccess: 'OpenModalForm', run: () => {} } } },
      /the action "act" opens a form, but has none; add form/,
    ],
    [
      'with a bulk action that neither exports nor runs',
      { bulkActions: { act: {} } },
      /the bulk action "act" must have either an export or a run/,
    ],
    [
      'with a bulk action that exports and runs',
      { bulkActions: { act: { export: 'excel', run: () => {} } } },
      /the bulk action "act" must have either an export or a run/,
    ],
    ...[0, -1, 1.5, 20_001, Number.NaN, '10'].map((chunk): [string, object, RegExp] => [
      `with chunks of ${chunk} rows`,
      { bulkActions: { act: { chunk, run: () => {} } } },
      /the chunk of the bulk action "act" must be from 1 to 20000/,
    ]),
    [
      'with an instant bulk action over more rows than a client waits for',
      { bulkActions: { act: { maxRows: 3_001, run: () => {} } } },
      /maxRows of the instant bulk action "act" must be 3000 or less/,
    ],
    ...[0, -1, 0.5, Number.POSITIVE_INFINITY].map((maxRows): [string, object, RegExp] => [
      `with a bulk action over at most ${maxRows} rows`,
      { bulkActions: { act: { maxRows, run: () => {} } } },
      /maxRows of the bulk action "act" must be 1 or more/,
    ]),
    ...['selected_ids', 'filters', 'sorts', 'params', 'columns', 'emails', 'expected_count', 'dry_run'].map(
      (field): [string, object, RegExp] => [
        `with a form that asks for ${field}`,
        { bulkActions: { act: { form: z.object({ [field]: z.string() }), run: () => {} } } },
        new RegExp(`the form of "act" has a field "${field}", which is a reserved key of request bodies; rename it`),
      ],
    ),
    [
      'with a row action whose form asks for filters',
      { rowActions: { act: { form: z.object({ filters: z.string() }), run: () => {} } } },
      /the form of "act" has a field "filters"/,
    ],
    ...Object.entries<z.ZodType>({
      day: z.date(),
      'when.day': z.object({ day: z.date().optional() }),
      days: z.array(z.coerce.date()),
      either: z.union([z.string(), z.date()]),
      huge: z.bigint(),
      names: z.set(z.string()),
      later: z.date().transform(String),
    }).map(([path, field]): [string, object, RegExp] => [
      `with a form whose ${path} no JSON can hold`,
      { rowActions: { act: { form: z.object({ [path.split('.')[0] ?? '']: field }), run: () => {} } } },
      new RegExp(`the field "${path}" of the form of "act" is a (date, .*use z.iso.date|bigint|set, which JSON)`),
    ]),
    ...Object.entries<z.ZodType>({
      check: z.object({ note: z.string().refine(async () => true) }),
      'part of a list': z.object({ notes: z.array(z.preprocess(async () => 'x', z.string())) }),
      'part of a union': z.object({ either: z.union([z.string(), z.string().transform(async () => 'x')]).optional() }),
      transform: z.object({ note: z.string() }).transform(async (form) => form),
    }).map(([part, form]): [string, object, RegExp] => [
      `with a form whose ${part} requests would have to wait for`,
      { rowActions: { act: { form, run: () => {} } } },
      /rowActions.act.form must be a schema of zod whose functions are not async/,
    ]),
    [
      'with params that requests would have to wait for',
      { params: z.object({ region: z.string().refine(async () => true) }) },
      /params must be a schema of zod whose functions are not async/,
    ],
    ...Object.entries<z.ZodType>({
      text: z.string().optional(),
      list: z.array(z.object({ note: z.string() })),
      choice: z.union([z.literal('a'), z.enum(['b', 'c']).default('b')]),
    }).flatMap(([type, schema]): [string, object, RegExp][] => [
      [`whose params are a ${type}`, { params: schema }, /params must be a schema .* which takes an object/],
      [
        `whose form is a ${type}`,
        { bulkActions: { act: { form: schema, run: () => {} } } },
        /bulkActions.act.form must be a schema .* which takes an object/,
      ],
    ]),
    ...Object.entries<z.ZodType>({
      date: z.date().max(new Date(0)).nullable(),
      bigint: z.union([z.bigint(), z.date()]),
      promise: z.promise(z.string()),
    }).map(([type, schema]): [string, object, RegExp] => [
      `with a cell that takes a ${type}, which no JSON can hold`,
      { columns: { short: { label: 'Short', editable: { schema } } } },
      new RegExp(
        `"short" cannot be edited, because editable.schema takes a ${type}, which JSON does not have; take a text`,
      ),
    ]),
    [
      'with a cell that edits would have to wait for',
      { columns: { short: { label: 'Short', editable: { schema: z.string().refine(async () => true) } } } },
      /"short" cannot be edited, because a function of editable.schema is async; check the value in a row action/,
    ],
    [
      'with a label for a field that its form lacks',
      { rowActions: { act: { form: z.object({ note: z.string() }), formLabels: { nope: 'Nope' }, run: () => {} } } },
      /the form of "act" has no field "nope" for its label/,
    ],
    [
      'with a label and no form',
      { bulkActions: { act: { formLabels: { note: 'Note' }, run: () => {} } } },
      /the form of "act" has no field "note" for its label/,
    ],
  ])('refuses a table %s', (_, changes, message) => {
    expect(register(changes)).toThrow(message)
  })

  const fail = () => {
    throw new Error('not now')
  }
  const node = z.object({
    text: z.string(),
    get children() {
      return z.array(node)
    },
  })

  it.each<[string, z.ZodType]>([
    ['dates as texts', z.object({ day: z.iso.date(), at: z.iso.datetime().transform((text) => new Date(text)) })],
    ['itself', node],
    ['a default that cannot be computed now', z.object({ at: z.string().default(() => fail()) })],
    ['anything', z.looseObject({ any: z.unknown(), own: z.custom<string>((value) => value === 'x') })],
  ])('accepts a table whose form holds %s', (_, form) => {
    expect(register({ rowActions: { act: { form, run: () => {} } } })).not.toThrow()
  })

  it.each<[string, object]>([
    [
      'an action in place of show_details that does nothing of its own',
      { rowActions: { 'Show Details': { label: 'Look' } } },
    ],
    ['actions that only lead somewhere', { rowActions: { go: { type: 'redirect', to: () => '/' } } }],
    [
      'chunks of one row and of 5,000',
      { bulkActions: { a: { chunk: 1, run: () => {} }, b: { chunk: 5_000, run: () => {} } } },
    ],
  ])('accepts a table with %s', (_, changes) => {
    expect(register(changes)).not.toThrow()
  })
})
