import { runCommand } from '../run-command.ts'
import { planTable } from './plan-table.ts'
import { type PlannedFile, readyToWrite, writeFiles } from './planned-files.ts'
import type { LeftOut } from './table-draft.ts'
import { databaseUsage, withDatabase } from './with-database.ts'

const usage = `Usage: npm run make:table -- <table> [--everyone] [--dry-run] [--database <url>]
  <table>           a table of the database's schema public, no view
  --everyone        every signed-in user sees every row; default: no user sees a row until the scope is written
  --dry-run         prints the files and writes none
${databaseUsage}`

const options = {
  database: { type: 'string' },
  everyone: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
} as const

await runCommand(usage, { options, allowPositionals: true }, async ({ values, positionals }) => {
  const [name, ...more] = positionals
  if (name === undefined || more.length > 0) throw new Error(`Name one table.\n\n${usage}`)
  const project = process.cwd()
  const { everyone } = values
  const planned = await withDatabase(values.database, (sql) => planTable(sql, { project, name, everyone }))
  const files = readyToWrite(project, planned.files)
  if (values['dry-run']) console.log(files.map(({ path, text }) => `--- ${path}\n${text}`).join('\n'))
  else {
    writeFiles(project, files)
    console.log(nextSteps(name, files, planned.leftOut, everyone))
  }
  return 0
})

function nextSteps(
  name: string,
  files: readonly PlannedFile[],
  leftOut: readonly LeftOut[],
  everyone: boolean,
): string {
  const own = files.find(({ path }) => /^tables\/[^/]+$/.test(path) && path !== 'tables/index.ts')?.path
  const [, searchIndex] =
    files.map(({ text }) => /searchIndex\(["']([^"']+)["']/.exec(text)).find((one) => one !== null) ?? []
  const usesTrigrams = files.some(({ text }) => text.includes('_trgm_ops'))
  const schemas = files.flatMap(({ text }) => [...text.matchAll(/pgSchema\(["']([^"']+)/g)].map(([, schema]) => schema))
  const lines = files.map(({ path, changes }) => `${changes ? 'changed' : 'wrote  '} ${path}`)
  const lacking = leftOut.map(({ name: column, because }) => `left out ${column}: ${because}`)
  const next = [
    everyone ? '' : `write the scope in ${own}: until then no caller sees a row, and its test fails`,
    'npm run db:generate, and put that migration into the block of tables/README.md, "A table that databases have already"',
    usesTrigrams
      ? 'write "create extension if not exists pg_trgm;" above its statements, for the index of trigrams'
      : '',
    ...[...new Set(schemas)].map(
      (schema) => `write 'create schema if not exists "${schema}";' above its statements, for its enums`,
    ),
    searchIndex === undefined
      ? ''
      : `take its CREATE INDEX "${searchIndex}" out of the block and write "if not exists": databases that have the table need the index, too`,
    `npm run table:lint -- ${name}, which lists the Arabic labels to write`,
    `npm test -- ${files.find(({ path }) => path.startsWith('test/'))?.path}`,
    'npm start, and look at it in /explorer',
  ].filter(Boolean)
  return `${[...lines, ...lacking].join('\n')}\n\nNext:\n${next.map((step, index) => `${index + 1}. ${step}`).join('\n')}`
}
