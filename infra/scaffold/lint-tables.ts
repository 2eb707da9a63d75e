import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nearNames } from '../../lib/table/near-names.ts'
import type { LoadedRegistry } from '../../lib/table/registry.ts'
import { runCommand } from '../run-command.ts'
import { readIgnored, withoutAccepted } from './lint/accepted.ts'
import type { Finding } from './lint/finding.ts'
import { mergeLabelFindings } from './lint/lint-labels.ts'
import { lintTable } from './lint/lint-table.ts'
import { databaseUsage, withDatabase } from './with-database.ts'

const usage = `Usage: npm run --silent table:lint [-- <table>...] [--json] [--database <url>]
  <table>           a registered table; default: all of them
  --json            for machines: a list of { table, level, rule, about, text, fix }
${databaseUsage}
Ends with exit code 1 where there is an error. tables/lint-ignored.ts names what is accepted, and why.`

const options = {
  database: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

await runCommand(usage, { options, allowPositionals: true }, async ({ values, positionals }) => {
  const load = (path: string) => import(pathToFileURL(join(process.cwd(), path)).href)
  const { registry }: { readonly registry: LoadedRegistry } = await load('tables/index.ts')
  const ignored = readIgnored((await load('tables/lint-ignored.ts')).lintIgnored)
  const names = selectTables(registry, positionals)
  const findings = await withDatabase(values.database, async (sql) => {
    const all: Finding[] = []
    for (const [name, table] of registry.tables)
      if (names.has(name))
        all.push(...mergeLabelFindings(name, withoutAccepted(name, await lintTable(sql, table), ignored)))
    return all
  })
  console.log(values.json ? JSON.stringify(findings, null, 2) : findingsText(findings, names.size))
  return findings.some(({ level }) => level === 'error') ? 1 : 0
})

function selectTables({ tables }: LoadedRegistry, names: readonly string[]): ReadonlySet<string> {
  const unknown = names.find((name) => !tables.has(name))
  if (unknown !== undefined) {
    const near = nearNames(unknown, [...tables.keys()])
    const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${[...tables.keys()].join(', ')}`
    throw new Error(`No table "${unknown}" is registered in tables/index.ts; ${hint}`)
  }
  return new Set(names.length === 0 ? tables.keys() : names)
}

function findingsText(findings: readonly Finding[], tables: number): string {
  const lines = findings.map(
    ({ table, level, rule, about, text, fix }) => `${level}  ${table}  ${rule} (${about}): ${text}\n       fix: ${fix}`,
  )
  const errors = findings.filter(({ level }) => level === 'error').length
  return [...lines, `tables: ${tables}, errors: ${errors}, warnings: ${findings.length - errors}`].join('\n')
}
