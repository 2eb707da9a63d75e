import { bind, type Parameter, type Statement } from '../db/statement.ts'
import type { CompiledSort } from '../table/compiled-table.ts'
import type { Condition } from './compare.ts'

/** NULLs come last in both directions; where a source cannot be null the clause is left out, so that any index serves. */
export const orderText = (expression: string, { source, direction }: CompiledSort): string =>
  direction === 'asc' ? expression : `${expression} desc${source.nullable ? ' nulls last' : ''}`

/** The rows that come after a row in a total order, by that row's sort values; the last of them is never null. */
export const rowsAfter =
  (order: readonly CompiledSort[], values: readonly Parameter[]): Condition =>
  (statement) => {
    const uniform = order.every(({ source, direction }) => !source.nullable && direction === order[0]?.direction)
    return uniform ? rowComparison(statement, order, values) : lexicographic(statement, order, values)
  }

/** The form that walks one index from the row on. */
function rowComparison(statement: Statement, order: readonly CompiledSort[], values: readonly Parameter[]): string {
  const left = order.map(({ source }) => source.expression(statement)).join(', ')
  const right = values.map((value) => bind(statement, value)).join(', ')
  return `(${left}) ${order[0]?.direction === 'desc' ? '<' : '>'} (${right})`
}

function lexicographic(statement: Statement, order: readonly CompiledSort[], values: readonly Parameter[]): string {
  const steps = order.map((sort, index) => {
    const value = values[index] ?? null
    const expression = sort.source.expression(statement)
    if (value === null) return { equal: `${expression} is null`, after: 'false' }
    const name = bind(statement, value)
    const beyond = `${expression} ${sort.direction === 'desc' ? '<' : '>'} ${name}`
    return {
      equal: `${expression} = ${name}`,
      after: sort.source.nullable ? `(${beyond} or ${expression} is null)` : beyond,
    }
  })
  const alternatives = steps.map(({ after }, index) =>
    [...steps.slice(0, index).map(({ equal }) => equal), after].join(' and '),
  )
  const first = order[0]
  const bound = first === undefined || first.source.nullable ? [] : [leadingBound(statement, first, values[0] ?? null)]
  return [...bound, `(${alternatives.map((alternative) => `(${alternative})`).join(' or ')})`].join(' and ')
}

/** Implied by the alternatives, and what lets an index on the first sort skip everything before the row. */
const leadingBound = (statement: Statement, { source, direction }: CompiledSort, value: Parameter): string =>
  `${source.expression(statement)} ${direction === 'desc' ? '<=' : '>='} ${bind(statement, value)}`
