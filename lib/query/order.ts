import { bind, type Parameter, type Statement } from '../db/statement.ts'
import type { CompiledSort } from '../table/compiled-table.ts'

/**
 * NULLs come last unless a sort says otherwise; where a source cannot be null the clause is left out, so that any index
 * serves.
 */
export function orderText(expression: string, sort: CompiledSort): string {
  const text = `${addCollation(expression, sort)}${sort.direction === 'asc' ? '' : ' desc'}`
  const { direction, source, nulls = 'last' } = sort
  return !source.nullable || nulls === (direction === 'asc' ? 'last' : 'first') ? text : `${text} nulls ${nulls}`
}

const addCollation = (expression: string, { collation }: CompiledSort): string =>
  collation === undefined ? expression : `${expression} collate ${collation}`

/**
 * Returns the rows that come after a row in a total order, by that row's sort values. Each condition is a range of one
 * index, and its rows come before those of the next; more than `max` ranges become one condition.
 */
export function rangesAfter(
  statement: Statement,
  order: readonly CompiledSort[],
  values: readonly Parameter[],
  max: number,
  trustsNotNull = true,
): readonly string[] {
  const steps = createSteps(statement, order, values, trustsNotNull)
  // From here on, all sorts are compared as one row.
  const start = steps.findLastIndex((step, index) => {
    const before = steps[index - 1]
    return before?.symbol !== step.symbol || before.name === '' || step.name === '' || step.hasNulls
  })
  const ranges = steps.slice(0, start + 1).map(({ symbol, after }, index) => {
    const row = index === start && start < steps.length - 1 ? steps.slice(start) : []
    const whole = `(${row.map(({ expression }) => expression).join(', ')}) ${symbol} (${row.map(({ name }) => name).join(', ')})`
    const equal = steps.slice(0, index).map((step) => step.equal)
    return (row.length === 0 ? after : [whole, ...after.slice(1)]).map((own) => [...equal, own].join(' and '))
  })
  const inOrder = ranges.toReversed().flat()
  if (inOrder.length === 0) return ['false']
  if (inOrder.length <= max) return inOrder
  const [first] = steps
  // The ranges imply the bound, and it lets an index on the first sort skip everything before the row.
  const bound = first && !first.hasNulls ? `${first.expression} ${first.symbol}= ${first.name} and ` : ''
  return [`${bound}(${inOrder.map((range) => `(${range})`).join(' or ')})`]
}

/** The comparisons with each value of a row: `after` has those of the rows behind it, in their order. */
function createSteps(
  statement: Statement,
  order: readonly CompiledSort[],
  values: readonly Parameter[],
  trustsNotNull: boolean,
) {
  // A source of a view can be null although its table says that it cannot.
  const isTrusted = trustsNotNull && order.every(({ source }, index) => source.nullable || values[index] !== null)
  return order.map((sort, index) => {
    const { source, direction } = sort
    const value = values[index] ?? null
    const expression = addCollation(source.expression(statement), sort)
    const name = value === null ? '' : bind(statement, value)
    const symbol = direction === 'desc' ? '<' : '>'
    const hasNulls = source.nullable || !isTrusted
    const nullsFirst = source.nullable ? sort.nulls === 'first' : direction === 'desc'
    const step = { expression, name, symbol, hasNulls }
    if (value === null)
      return { ...step, equal: `${expression} is null`, after: nullsFirst ? [`${expression} is not null`] : [] }
    const after = [`${expression} ${symbol} ${name}`, ...(hasNulls && !nullsFirst ? [`${expression} is null`] : [])]
    return { ...step, equal: `${expression} = ${name}`, after }
  })
}
