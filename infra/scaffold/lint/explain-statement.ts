import type { Sql } from 'postgres'
import * as z from 'zod'
import type { Statement } from '../../../lib/db/statement.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Cond'?: string | undefined
  readonly 'Recheck Cond'?: string | undefined
  readonly Plans?: readonly PlanNode[] | undefined
}

const node: z.ZodType<PlanNode> = z.object({
  'Node Type': z.string(),
  'Index Cond': z.string().optional(),
  'Recheck Cond': z.string().optional(),
  get Plans() {
    return z.array(node).optional()
  },
})
const explained = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: node })]) })])

/** Planner methods to avoid where there is another, so that the plan shows what the indexes can serve. */
export type AvoidedStep = 'enable_seqscan' | 'enable_sort' | 'enable_incremental_sort'

/**
 * Returns the nodes of the plan for a statement. The planner decides, so expressions, operator classes and the place of
 * NULLs count as in a request; the number of rows does not.
 */
export async function explainStatement(
  sql: Sql,
  text: string,
  { parameters }: Statement,
  avoided: readonly AvoidedStep[],
): Promise<readonly PlanNode[]> {
  const rows = await sql.begin(async (transaction) => {
    for (const setting of avoided) await transaction`select set_config(${setting}, 'off', true)`
    return transaction.unsafe(`explain (format json) ${text}`, [...parameters])
  })
  const [
    {
      'QUERY PLAN': [{ Plan }],
    },
  ] = explained.parse([...rows])
  return flat(Plan)
}

const flat = (root: PlanNode): readonly PlanNode[] => [root, ...(root.Plans ?? []).flatMap(flat)]
