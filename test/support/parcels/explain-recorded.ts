import type { RecordedStatement, TableService } from './parcel-service.ts'

/** Runs a recorded statement again and returns its plan with what was executed of it. */
export async function explainRecorded(
  { database }: Pick<TableService, 'database'>,
  { text, parameters }: RecordedStatement,
): Promise<string> {
  const literal = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value))
  const filled = text.replace(/\$(\d+)/g, (_, number: string) => literal(parameters[Number(number) - 1]))
  const rows = await database.read(`explain (analyze, costs off, timing off, summary off, buffers off) ${filled}`, [])
  return rows.map(([line]) => String(line)).join('\n')
}
