import { hash } from 'node:crypto'
import * as z from 'zod/mini'
import { openText, sealText } from '../query/sealed-text.ts'

/** The description of a workbook that can be sent back. */
export interface Manifest {
  readonly table: string
  readonly subject: string
  readonly guard: string
  /** The language of labels. */
  readonly language: 'en' | 'ar'
  readonly timeZone: string
  /** The columns of the file in their order; cells of those that are editable can be imported. */
  readonly columns: readonly ManifestColumn[]
}

export interface ManifestColumn {
  readonly key: string
  readonly label: string
  readonly isEditable: boolean
}

/** A row as it was exported. */
export interface RowToken {
  /** Equal in all tokens of a file. */
  readonly file: string
  /** The text of the row's key. */
  readonly key: string
  /** Absent where rows have no versions. */
  readonly version: string | null
  /** The values of the editable columns, in the order of the manifest. */
  readonly values: readonly ExportedValue[]
  /** A digest of each shown cell, in the order of the manifest. */
  readonly shown: string
}

/** The text of a value, or the digest of one that is too long for a cell of a workbook. */
export type ExportedValue = string | null | readonly [digest: string]

const manifestContext = 'table-control manifest of a workbook'
const rowContext = 'table-control row of a workbook'

const manifestShape = z.tuple([
  z.string(),
  z.string(),
  z.string(),
  z.enum(['en', 'ar']),
  z.string(),
  // Each further kind of schema would be loaded with every request.
  z.array(z.tuple([z.string(), z.string(), z.string()])),
])

/** Programs take `_x0041_` in a cell for an escape, and some write it back as the letter: a seal has no underscore. */
const seal = (secret: string, context: string, text: string): string =>
  sealText(secret, context, text).replaceAll('_', '.')
const open = (secret: string, context: string, text: string): string | undefined =>
  openText(secret, context, text.replaceAll('.', '_'))

/** Seals a manifest, so that a change of it is found. */
export function writeManifest(secret: string, manifest: Manifest): string {
  const { table, subject, guard, language, timeZone, columns } = manifest
  const entries = columns.map(({ key, label, isEditable }) => [key, label, isEditable ? 'editable' : ''])
  return seal(secret, manifestContext, JSON.stringify([table, subject, guard, language, timeZone, entries]))
}

/** Opens a manifest; `undefined` for one that was altered or cut. */
export function readManifest(secret: string, text: string): Manifest | undefined {
  const parsed = manifestShape.safeParse(parse(open(secret, manifestContext, text)))
  if (!parsed.success) return undefined
  const [table, subject, guard, language, timeZone, entries] = parsed.data
  const columns = entries.map(([key, label, editing]) => ({ key, label, isEditable: editing !== '' }))
  return { table, subject, guard, language, timeZone, columns }
}

const parse = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))

const digest = (text: string, length: number): string => hash('sha256', text, 'base64url').slice(0, length)

/** Returns the name that binds rows to the sealed manifest of their file. */
export const nameFile = (sealedManifest: string): string => digest(sealedManifest, 12)

const rowShape = z.tuple([
  z.string(),
  z.string(),
  z.union([z.string(), z.null()]),
  z.array(z.union([z.string(), z.null(), z.tuple([z.string()])])),
  z.string(),
])

/** Longer values are sealed as digests. */
const maxValueLength = 300
/** A cell of a workbook holds 32,767 characters. */
const maxTokenLength = 32_000

/** Seals the token of a row: it cannot be read, and a change of it is found. */
export function writeRowToken(secret: string, row: RowToken): string {
  const write = (maxLength: number): string => {
    const values = row.values.map((value) => shorten(value, maxLength))
    return seal(secret, rowContext, JSON.stringify([row.file, row.key, row.version, values, row.shown]))
  }
  const token = write(maxValueLength)
  return token.length > maxTokenLength ? write(0) : token
}

const shorten = (value: ExportedValue, maxLength: number): ExportedValue =>
  typeof value === 'string' && value.length > maxLength ? [valueDigest(value)] : value

/** Returns what stands for a long value in a token. */
export const valueDigest = (value: string): string => digest(value, 22)

/** Opens a token; `undefined` for one that was altered, cut or made up. */
export function readRowToken(secret: string, text: string): RowToken | undefined {
  const parsed = rowShape.safeParse(parse(open(secret, rowContext, text)))
  if (!parsed.success) return undefined
  const [file, key, version, values, shown] = parsed.data
  return { file, key, version, values, shown }
}

/** A cell as a file shows it. */
export type ShownCell = string | number | boolean | null

/** The characters of a digest of a shown cell. */
export const shownDigestLength = 6

/**
 * Returns a digest of a cell, whose escapes are decoded. Programs write numbers with 15 digits or more, and lines of
 * text with ends of their own.
 */
export function shownDigest(cell: ShownCell): string {
  if (cell === null || cell === '') return '-'.repeat(shownDigestLength)
  if (typeof cell === 'number') return digest(`n${Number(cell.toPrecision(15))}`, shownDigestLength)
  if (typeof cell === 'boolean') return digest(`b${cell}`, shownDigestLength)
  return digest(`t${cell.replace(/\r\n?/g, '\n')}`, shownDigestLength)
}

/** Decodes the escapes of characters that XML cannot hold, as `_x000D_`. */
export const decodeEscapes = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text
