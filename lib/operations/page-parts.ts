import { RequestError } from '../errors/request-error.ts'
import type { AskedRows, Plan } from '../query/plan.ts'
import { planAggregates, readAggregates } from '../rows/aggregates.ts'
import type { Bindings } from '../rows/bindings.ts'
import { planFacets, readFacets } from '../rows/facets.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/** Reads the parts of one page beside its rows, at once. Returns what writes them into the answer. */
export type ReadPageParts = (plan: Plan) => Promise<(bindings: Bindings) => Payload>

/** Plans `aggregates` and `facets`. Throws `validation_failed` naming what does not fit. */
export function planPageParts(request: TableRequest, asked: AskedRows): ReadPageParts {
  const { view, body, database } = request
  const aggregates = planAggregates(view, ownValue(body, 'aggregates') ?? [])
  const facets = planFacets(view, ownValue(body, 'facets') ?? [])
  return async (plan) => {
    const [totals, counted] = await Promise.all([
      aggregates.length === 0 ? undefined : unlessImpossible(readAggregates(database, request, plan, aggregates)),
      facets.length === 0 ? undefined : unlessImpossible(readFacets(database, request, asked, facets)),
    ])
    const partial = [
      ...(aggregates.length > 0 && totals === undefined ? ['aggregates'] : []),
      ...(facets.length > 0 && counted === undefined ? ['facets'] : []),
    ]
    return (bindings) => ({
      ...(totals !== undefined && { aggregates: totals }),
      ...(counted !== undefined && { facets: counted(bindings) }),
      ...(partial.length > 0 && { partial }),
    })
  }
}

/** Returns `undefined` for what takes too long, or holds a value beyond what the database can compute. */
async function unlessImpossible<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof RequestError && (error.code === 'timed_out' || error.fields?.['body'] !== undefined))
      return undefined
    throw error
  }
}
