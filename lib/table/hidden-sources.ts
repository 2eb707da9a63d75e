import type { CompiledColumn, CompiledTable } from './compiled-table.ts'
import type { Source } from './source.ts'

/** What a caller may not learn of a table, by any way that leads there. */
export interface HiddenSources {
  /** The columns that are hidden because they show what a hidden column holds. */
  readonly alsoHidden: ReadonlySet<CompiledColumn>
  /** Whether a filter or a sort on this source would reveal what a hidden column holds. */
  readonly reveals: (source: Source) => boolean
}

/**
 * Follows hidden columns to everything that reads them. A column with a `loadIf` of its own is left to that. What a visible column
 * shows may be filtered and sorted by, because its cells tell as much.
 */
export function hiddenSources(table: CompiledTable, hidden: readonly CompiledColumn[]): HiddenSources {
  // Every item has its key, whatever column shows it.
  const secret = hidden.flatMap(({ source }) =>
    source === undefined || source.value === table.key.value ? [] : source,
  )
  if (secret.length === 0) return { alsoHidden: new Set(), reveals: () => false }
  const ruled = table.columns.filter((column) => !hidden.includes(column) && column.definition.loadIf !== undefined)
  // A generated attribute is read under its own name, whether or not a column shows it.
  const generated = [...table.sources.values()].filter(
    (source) => isAttribute(source) && !ruled.some((column) => column.source === source) && readsAny(source, secret),
  )
  const kept = [...secret, ...generated]
  const alsoHidden = new Set(
    table.columns.filter(
      (column) =>
        !hidden.includes(column) &&
        column.source !== undefined &&
        column.definition.loadIf === undefined &&
        readsAny(column.source, kept),
    ),
  )
  const shown = table.columns.filter((column) => !hidden.includes(column) && !alsoHidden.has(column))
  const shownSources = shown.flatMap(({ source }) => source ?? [])
  const behind = [...table.sources.values()].filter(
    (source) =>
      isAttribute(source) &&
      secret.some((one) => one.reads !== undefined && readsFrom(one, source)) &&
      !shownSources.some(({ value }) => value === source.value),
  )
  const all = [...kept, ...[...alsoHidden].flatMap(({ source }) => source ?? []), ...behind]
  return {
    alsoHidden,
    reveals: (source) => !shownSources.includes(source) && readsAny(source, all),
  }
}

const isAttribute = ({ value }: Source): boolean => typeof value === 'string'

const readsAny = (source: Source, secret: readonly Source[]): boolean =>
  secret.some((other) => readsFrom(source, other))

function readsFrom({ value, reads }: Source, other: Source): boolean {
  if (value === other.value) return true
  return reads !== undefined && (reads.values.has(other.value) || other.names.some((name) => reads.names.has(name)))
}

/** The columns that every caller sees: those without a condition that show nothing of one with a condition. */
export function unconditionalColumns(table: CompiledTable): readonly CompiledColumn[] {
  const conditional = table.columns.filter(({ definition }) => definition.loadIf !== undefined)
  const { alsoHidden } = hiddenSources(table, conditional)
  return table.columns.filter((column) => !conditional.includes(column) && !alsoHidden.has(column))
}
