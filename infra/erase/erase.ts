import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { keyText } from '../../lib/rows/key-text.ts'
import type { LoadedRegistry } from '../../lib/table/registry.ts'
import { runCommand } from '../run-command.ts'
import { databaseUsage, withDatabase } from '../scaffold/with-database.ts'
import { openBucket } from './bucket.ts'
import { type Erased, eraseRow } from './erase-row.ts'

const usage = `Usage: npm run --silent erase -- <table> <id> [--apply] [--bucket <name>] [--database <url>] [--json]
  <table>           a registered table
  <id>              the id of the row, whose own values were erased or removed before
  --apply           erases; without it, the command counts what would be erased, and changes nothing
  --bucket <name>   the bucket of reports; default: REPORT_BUCKET
  --json            for machines: { applied, unfinished_jobs, erased: [{ place, count }] }
${databaseUsage}
The database is that of the owner: the role of the functions may not remove changes of cells. Ends with exit code 2 where jobs of the
table have not ended: run it again after them.`

const options = {
  apply: { type: 'boolean', default: false },
  bucket: { type: 'string' },
  database: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

const toJson = ({ counts, unfinishedJobs }: Erased, applied: boolean) => ({
  applied,
  unfinished_jobs: unfinishedJobs,
  erased: counts.map(([place, count]) => ({ place, count })),
})

await runCommand(usage, { options, allowPositionals: true }, async ({ values, positionals }) => {
  const [table, id, ...others] = positionals
  if (table === undefined || id === undefined || others.length > 0)
    throw new Error(`Name one table and one id.\n${usage}`)
  const key = await readKey(table, id)
  const { apply } = values
  const erased = await withDatabase(values.database, (sql) =>
    eraseRow(sql, openBucket(values.bucket ?? process.env['REPORT_BUCKET']), { table, key, apply }),
  )
  console.log(values.json ? JSON.stringify(toJson(erased, apply), null, 2) : erasedText(erased, apply))
  return erased.unfinishedJobs > 0 ? 2 : 0
})

/**
 * Returns the id as the service stores it. Throws for a table that is not registered: a misspelt name would erase
 * nothing.
 */
async function readKey(table: string, id: string): Promise<string> {
  const { registry }: { readonly registry: LoadedRegistry } = await import(
    pathToFileURL(join(process.cwd(), 'tables/index.ts')).href
  )
  const found = registry.tables.get(table)
  if (found === undefined)
    throw new Error(
      `No table "${table}" is registered in tables/index.ts; there are ${[...registry.tables.keys()].join(', ')}`,
    )
  const key = keyText(found.key, id)
  // A misspelt id would erase nothing, as one of which nothing is kept.
  if (key === undefined) throw new Error(`"${id}" is not a valid id of "${table}"; give the key of a row`)
  return key
}

function erasedText({ counts, unfinishedJobs }: Erased, applied: boolean): string {
  const width = Math.max(...counts.map(([place]) => place.length))
  const lines = counts.map(([place, count]) => `${place.padEnd(width)}  ${count}`)
  const waiting =
    unfinishedJobs > 0 ? [`jobs of the table that have not ended: ${unfinishedJobs}; run this again after them`] : []
  return [...lines, ...waiting, applied ? 'erased' : 'nothing was changed; --apply erases'].join('\n')
}
