import type { CompiledTable } from '../../../lib/table/compiled-table.ts'

/** The rules, as `tables/lint-ignored.ts` names them. */
export const rules = [
  'arabic-label',
  'scope',
  'relation',
  'in-database',
  'not-null',
  'lock',
  'computed-type',
  'default-sort-index',
  'sort-index',
  'collation',
  'filter-index',
  'search-index',
  'live-trigger',
  'locale',
  'form-field',
  'sunset',
  'unused-ignore',
] as const

export type Rule = (typeof rules)[number]

/** A fault of a table, and its fix. */
export interface Finding {
  readonly table: string
  /** An error ends the command with exit code 1; a warning does not. */
  readonly level: 'error' | 'warning'
  readonly rule: Rule
  /** The column, filter, relation or label, where it is one. */
  readonly about: string
  readonly text: string
  readonly fix: string
}

/** The findings of a table. */
export interface LintedTable {
  readonly findings: readonly Finding[]
  /** Whether every rule was asked; only then is something not found because it is not there. */
  readonly complete: boolean
}

/** A finding of a table, as each check writes it. */
export const createFinding = (
  { name }: CompiledTable,
  rule: Rule,
  about: string,
  words: Pick<Finding, 'text' | 'fix'> & { readonly level?: Finding['level'] },
): Finding => ({ table: name, level: 'error', rule, about, ...words })
