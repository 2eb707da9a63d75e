import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { compareValues, type OracleValue } from '../oracle/oracle-values.ts'

/** Compares values in the collation of their column, equal ones by code point; `undefined` for a column without one. */
export function collationOrder(
  { definition }: CompiledTable,
  key: string,
): ((left: OracleValue, right: OracleValue) => number) | undefined {
  const collation: string | undefined = definition.columns[key]?.collation
  if (collation === undefined) return undefined
  // English has the order of ICU's root, which `natural` is made of.
  const collator = new Intl.Collator(collation === 'natural' ? 'en-u-kn-true' : collation)
  return (left, right) => collator.compare(String(left), String(right)) || compareValues(left, right)
}
