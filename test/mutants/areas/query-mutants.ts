import { createMutants } from '../mutant.ts'

const paging = 'test/api/query-paging.test.ts'
const cursors = 'test/api/cursor.test.ts'
const queryFilters = 'test/api/query-filters.test.ts'
const edges = 'test/lib/query/filter-edges.test.ts'

export const queryMutants = createMutants(
  'query',
  [queryFilters, edges],
  [
    [
      'isEveryRow(scope) ? [] : [`(${renderSql(statement, scope)})`]',
      'isEveryRow(scope) ? [] : [renderSql(statement, scope)]',
      'test/api/raw-scope.test.ts',
    ],
    ["` where ${conditions.join(' and ')}`", "` where ${conditions.join(' or ')}`"],
    [
      "operator === '!=' ? 'is distinct from' : operator\n    return",
      "operator === '!=' ? '<>' : operator\n    return",
    ],
    [
      "operator.startsWith('>') ? \"< 'Infinity'\" : \"> '-Infinity'\"",
      "operator.startsWith('>') ? \"> '-Infinity'\" : \"< 'Infinity'\"",
    ],
    ['/[\\\\%_]/g', '/[\\\\%]/g'],
    ['`(${condition(statement)}) is not true`', '`not (${condition(statement)})`'],
    [
      "operator.startsWith('<') ? ['<=', floor] : ['>=', floor + 1n]",
      "operator.startsWith('<') ? ['<=', floor] : ['>=', floor]",
    ],
    ["symbol.startsWith('<') === bound > max", "symbol.startsWith('<') === bound < max"],
    ['(digits < 0n && !isWhole ? 1n : 0n)', '(digits < 0n && !isWhole ? 0n : 0n)'],
    [
      "`${expression} ${operator === '<=' ? '<' : '>='} ${end()}`",
      "`${expression} ${operator === '<=' ? '<=' : '>='} ${end()}`",
      'test/api/query-dates.test.ts',
    ],
    [
      "operator === '=' ? within : `${within} is not true`",
      "operator === '=' ? within : `not ${within}`",
      'test/api/query-dates.test.ts',
    ],
    [
      "nulls === (direction === 'asc' ? 'last' : 'first') ? text",
      "nulls === (direction === 'asc' ? 'first' : 'last') ? text",
      'test/api/query-sorts.test.ts',
    ],
    [
      "const symbol = direction === 'desc' ? '<' : '>'",
      "const symbol = direction === 'desc' ? '<=' : '>='",
      cursors,
      'test/properties/pages.test.ts',
    ],
    ['steps.slice(0, index).map', 'steps.slice(1, index).map', cursors, 'test/properties/pages.test.ts'],
    ['...(hasNulls && !nullsFirst ? [`${expression} is null`] : [])]', ']', cursors, 'test/properties/pages.test.ts'],
    [
      "JSON.stringify([operator, operator.endsWith('like') ? String(value).toLowerCase() : value])",
      'JSON.stringify([operator, String(value).toLowerCase()])',
      queryFilters,
    ],
    [
      'String(value).toLowerCase() : value])',
      "String(value).toLowerCase() : typeof value === 'object' ? null : value])",
      'test/api/query-dates.test.ts',
    ],
    ['${first.symbol}= ${first.name}', '${first.symbol} ${first.name}', cursors],
    ["if (operator === 'not between') return false", '', 'test/api/filter-groups.test.ts'],
    ["if (value === 'all' && takesAll(filter.type))", "if (value === 'all')"],
    ["type === 'multi_select' || type === 'boolean' || type === 'null'", "type === 'multi_select' || type === 'null'"],
    ['${context.length} ${context}${text}`', '${context.length} ${context}`', cursors],
    ["if (sealed.toString('base64url') !== text) return undefined", '', cursors],
    [
      'decryptText({ key: findKeys(secret).sealing, context }, sealed)',
      'decryptText({ key: findKeys(secret).sealing, context }, sealed.subarray(1))',
      cursors,
    ],
    [
      'if (end >= 0) return order.slice(0, end + 1)',
      'if (end >= 0) return order.slice(0, end)',
      'test/lib/query',
      'test/properties/round-trips.test.ts',
    ],
    ["direction: order.at(-1)?.direction ?? 'asc' }]", "direction: 'asc' }]", 'test/api/query-sorts.test.ts'],
    [
      "count === 'estimated' && !mayEstimate(opened, opened) ? 'capped' : count",
      'count',
      paging,
      'test/properties/oracle.test.ts',
      'test/properties/scope.test.ts',
    ],
    [
      'if (memory.findFit(fitKey) === true || !(isEstimable || wasStopped)) await countAll()\n      else if (isEstimable) await predict()',
      'await predict()',
      'test/api/totals.test.ts',
    ],
    ['counted > cap ? { total: cap', 'counted >= cap ? { total: cap', paging, 'test/properties/oracle.test.ts'],
    ['keys.filter((text) => fitsKey(key, text))', 'keys', 'test/api/changed-tables.test.ts'],
  ],
)
