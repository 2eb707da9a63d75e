import fc from 'fast-check'
import { kindOfType } from '../../../lib/table/value-kind.ts'

const texts = [
  'alpha',
  'Alpha',
  'ALPHA beta',
  'beta',
  '',
  '50% off',
  'a_b',
  'back\\slash',
  "o'clock",
  'é',
  'أحمر',
  '😀',
  ' padded ',
]
const moments = [
  '2026-01-01 00:00:00',
  '2026-01-01 23:59:59.999',
  '2026-01-02 00:00:00',
  '2026-02-28 12:30:15.25',
  '2025-12-31 08:00:00',
]
const json = [{ a: 1 }, [], 'text', 0]

/** A column as far as values for it go. */
export interface FillableColumn {
  readonly sqlType: string
  readonly enumValues: readonly string[] | undefined
}

/**
 * Values that a column can hold, with ties, edges and what needs escaping; `undefined` for a type that rows are made
 * without.
 */
export function valuesFor({ sqlType, enumValues }: FillableColumn): fc.Arbitrary<unknown> | undefined {
  if (sqlType.endsWith(']')) {
    const entries = valuesFor({ sqlType: sqlType.replace(/\[\d*\]$/, ''), enumValues })
    return entries && fc.array(entries, { maxLength: 3 })
  }
  if (enumValues !== undefined && enumValues.length > 0) return fc.constantFrom(...enumValues)
  const length = Number(/^(?:var)?char\((\d+)\)/.exec(sqlType)?.[1] ?? Number.POSITIVE_INFINITY)
  const moment = fc.constantFrom(...moments)
  switch (kindOfType(sqlType)) {
    case 'integer':
      return fc.constantFrom(-3, 0, 1, 2, 2, 7, 40, 1_000, 32_767)
    case 'decimal':
      return fc.constantFrom(-3, 0, 1, 2.5, 2.5, 7.25, 9)
    case 'boolean':
      return fc.boolean()
    case 'uuid':
      return fc.nat(9).map(createUuid)
    case 'date':
      return moment.map((text) => text.slice(0, 10))
    case 'timestamp':
      return moment
    case 'instant':
      return moment.map((text) => `${text}Z`)
    case 'json':
      return fc.constantFrom(...json)
    case 'text':
      return fc.constantFrom(...texts).map((text) => [...text].slice(0, length).join(''))
    default:
      return undefined
  }
}

/** A value that no other index has, for keys. */
export function uniqueValue({ sqlType, enumValues }: FillableColumn, index: number): unknown {
  if (enumValues !== undefined && enumValues.length > 0) return enumValues[index % enumValues.length]
  switch (kindOfType(sqlType)) {
    case 'integer':
    case 'decimal':
      // Not in the order in which they are written, so that no order comes about by itself.
      return ((index * 37) % 1_009) + 1
    case 'uuid':
      return createUuid(index)
    case 'text':
      return `${index % 2 === 0 ? 'k' : 'K'}${index.toString(36)}`
    default:
      return new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10)
  }
}

const createUuid = (index: number): string =>
  `${String((index * 37) % 1_009).padStart(8, '0')}-aaaa-4bbb-8ccc-00000000000a`
