import { bind, type Parameter, type Statement } from '../db/statement.ts'
import type { CompiledSort } from '../table/compiled-table.ts'
import type { Condition } from './compare.ts'

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

const sortedText = (statement: Statement, sort: CompiledSort): string =>
  addCollation(sort.source.expression(statement), sort)

/** The rows that come after a row in a total order, by that row's sort values; the last of them is never null. */
export const rowsAfter =
  (order: readonly CompiledSort[], values: readonly Parameter[]): Condition =>
  (statement) => {
    const isUniform = order.every(({ source, direction }) => !source.nullable && direction === order[0]?.direction)
    return isUniform && !values.includes(null)
      ? rowComparison(statement, order, values)
      : lexicographic(statement, order, values)
  }

/** The form that walks one index from the row on. */
function rowComparison(statement: Statement, order: readonly CompiledSort[], values: readonly Parameter[]): string {
  const left = order.map((sort) => sortedText(statement, sort)).join(', ')
  const right = values.map((value) => bind(statement, value)).join(', ')
  return `(${left}) ${order[0]?.direction === 'desc' ? '<' : '>'} (${right})`
}

function lexicographic(statement: Statement, order: readonly CompiledSort[], values: readonly Parameter[]): string {
  // A source of a view can be null although its table says that it cannot.
  const isTrusted = order.every(({ source }, index) => source.nullable || values[index] !== null)
  const steps = order.map((sort, index) => {
    const value = values[index] ?? null
    const expression = sortedText(statement, sort)
    const nullsFirst = sort.source.nullable ? sort.nulls === 'first' : sort.direction === 'desc'
    if (value === null)
      return { equal: `${expression} is null`, after: nullsFirst ? `${expression} is not null` : 'false' }
    const name = bind(statement, value)
    const beyond = `${expression} ${sort.direction === 'desc' ? '<' : '>'} ${name}`
    return {
      equal: `${expression} = ${name}`,
      after: (sort.source.nullable || !isTrusted) && !nullsFirst ? `(${beyond} or ${expression} is null)` : beyond,
    }
  })
  const alternatives = steps.map(({ after }, index) =>
    [...steps.slice(0, index).map(({ equal }) => equal), after].join(' and '),
  )
  const first = order[0]
  const bound =
    first === undefined || first.source.nullable || !isTrusted
      ? []
      : [leadingBound(statement, first, values[0] ?? null)]
  return [...bound, `(${alternatives.map((alternative) => `(${alternative})`).join(' or ')})`].join(' and ')
}

/** Implied by the alternatives, and what lets an index on the first sort skip everything before the row. */
const leadingBound = (statement: Statement, sort: CompiledSort, value: Parameter): string =>
  `${sortedText(statement, sort)} ${sort.direction === 'desc' ? '<=' : '>='} ${bind(statement, value)}`
