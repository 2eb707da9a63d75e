import { existsSync, globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Mutant } from './mutant.ts'
import { mutants } from './mutants.ts'
import { createMutatedProject, type MutatedProject } from './mutated-project.ts'

/** Makes each mutant, runs its tests, and counts those that the tests notice. Fails below nine of ten. */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    workers: { type: 'string' },
    check: { type: 'boolean' },
  },
})

const project = resolve(import.meta.dirname, '../..')
const sources = globSync(['lib/**/*.ts', 'infra/settings/*.ts'], { cwd: project }).map((file) => ({
  file,
  text: readFileSync(resolve(project, file), 'utf8'),
}))

const countIn = (whole: string, part: string): number => whole.split(part).length - 1
const filesWith = ({ text }: Mutant) => sources.filter((source) => source.text.includes(text))
const describeMutant = ({ area, text, replacement }: Mutant): string =>
  `${area}: ${JSON.stringify(text)} -> ${JSON.stringify(replacement)}`

/** Returns why a mutant does not fit the code any more. */
function staleReasons(mutant: Mutant): readonly string[] {
  const count = filesWith(mutant).reduce((sum, { text }) => sum + countIn(text, mutant.text), 0)
  const missing = mutant.tests.filter((test) => !existsSync(resolve(project, test)))
  return [
    ...(count === 1 ? [] : [`the text occurs ${count} times in lib/ and infra/settings/, not once`]),
    ...missing.map((test) => `there is no ${test}`),
  ]
}

function assertCurrent(chosen: readonly Mutant[]): void {
  const stale = chosen.flatMap((mutant) =>
    staleReasons(mutant).map((reason) => `${describeMutant(mutant)}\n    ${reason}`),
  )
  if (stale.length === 0) return
  console.error(`Bring test/mutants/mutants.ts up to date with the code:\n  ${stale.join('\n  ')}`)
  process.exit(2)
}

/** Without any change the tests must pass, or they would notice everything. */
async function isPassing(copy: MutatedProject, chosen: readonly Mutant[]): Promise<boolean> {
  const { failed, output } = await copy.run([...new Set(chosen.flatMap(({ tests }) => tests))])
  if (failed) console.error(`The tests fail without any change:\n${output}`)
  return !failed
}

async function countNoticed(copies: readonly MutatedProject[], chosen: readonly Mutant[]): Promise<number> {
  const left = chosen.values()
  let noticed = 0
  const work = async (copy: MutatedProject) => {
    for (const mutant of left) {
      const began = performance.now()
      const { failed } = await copy.runMutated(mutant, filesWith(mutant)[0]?.file ?? '')
      if (failed) noticed += 1
      const seconds = Math.round((performance.now() - began) / 1_000)
      console.log(`${failed ? 'noticed' : 'NOT NOTICED'} in ${seconds} s  ${describeMutant(mutant)}`)
    }
  }
  await Promise.all(copies.map(work))
  return noticed
}

async function run(): Promise<void> {
  const chosen = mutants.filter(({ area, text }) => values.only.some((only) => area === only || text.includes(only)))
  assertCurrent(chosen)
  if (values.check === true) return console.log(`${chosen.length} mutants, each of a text that occurs once`)
  const workers = Number(values.workers ?? availableParallelism())
  const copies = await Promise.all(Array.from({ length: workers }, createMutatedProject))
  try {
    const [first] = copies
    if (first !== undefined && !(await isPassing(first, chosen))) {
      process.exitCode = 2
      return
    }
    const noticed = await countNoticed(copies, chosen)
    console.log(`${noticed} of ${chosen.length} mutants noticed`)
    process.exitCode = noticed >= 0.9 * chosen.length ? 0 : 1
  } finally {
    for (const copy of copies) await copy.remove()
  }
}

await run()
