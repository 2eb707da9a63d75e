import { selectionValueFault } from '../errors/selection-fault.ts'
import { foldText } from '../i18n/fold-text.ts'
import type { CompiledFilter } from '../table/compiled-table.ts'
import type { Ordering } from '../table/filter-operators.ts'
import type { Source } from '../table/source.ts'
import { type Condition, compare, isInList, matchText, negate, sourceText } from './compare.ts'
import type { ReadFilter } from './filter-condition.ts'
import { readList, readText } from './read-value.ts'

type FoldedOperator = Ordering | 'like' | 'not like' | 'starts with' | 'ends with'

/** Reads a value of a filter with `fold`, whose condition compares both sides as searches do. */
export function readFolded(
  { source }: CompiledFilter,
  operator: FoldedOperator | 'in' | 'not in',
  value: unknown,
): ReadFilter {
  const folded = foldSource(source)
  if (operator === 'in' || operator === 'not in') {
    const values = readList(value).map(readText)
    return {
      conditions: [isInList(folded, values.map(foldValue), operator === 'not in', false)],
      applied: { operator, value: values },
    }
  }
  const text = readText(value)
  return { conditions: [compareFolded(folded, operator, foldValue(text))], applied: { operator, value: text } }
}

/** Throws a field fault for a text of nothing but what folding drops: `like` would match every row. */
function foldValue(text: string): string {
  const folded = foldText(text)
  if (folded === '' && text !== '') throw selectionValueFault('nothing_to_compare')
  return folded
}

/** Returns a source as the text that searches compare, in the expression of their indexes. */
const foldSource = (source: Source): Source => ({
  ...source,
  kind: 'text',
  expression: (statement) => `table_control.fold_text(${sourceText(source, statement)})`,
})

function compareFolded(folded: Source, operator: FoldedOperator, text: string): Condition {
  if (operator === 'starts with') return matchText(folded, text, 'start', 'like')
  if (operator === 'ends with') return matchText(folded, text, 'end', 'like')
  if (operator !== 'like' && operator !== 'not like') return compare(folded, operator, text)
  const found = matchText(folded, text, 'anywhere', 'like')
  return operator === 'like' ? found : negate(found)
}
