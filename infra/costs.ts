import { readFile, writeFile } from 'node:fs/promises'
import { costTables } from './cost-tables.ts'
import { deployedOf } from './cost-template.ts'
import { stageNamed, stageNames } from './stages.ts'

const readme = new URL('README.md', import.meta.url)
const begin = '<!-- npm run costs -->'
const end = '<!-- /npm run costs -->'

const printed = costTables(stageNames.map((name) => deployedOf(stageNamed(name))))
if (process.argv.includes('--write')) {
  const text = await readFile(readme, 'utf8')
  const [before, rest = ''] = text.split(begin)
  const [, after] = rest.split(end)
  if (after === undefined) throw new Error(`infra/README.md has no place between ${begin} and ${end}`)
  await writeFile(readme, `${before}${begin}\n\n${printed}\n\n${end}${after}`)
} else console.log(printed)
