import { existsSync, globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { readArguments, readCount } from '../support/run/read-arguments.ts'
import type { Mutant } from './mutant.ts'
import { mutants } from './mutants.ts'
import { createMutatedProject, type MutatedProject } from './mutated-project.ts'

/** Makes each mutant, runs its tests, and counts those that the tests notice. Fails below nine of ten. */
const usage = `Usage: npm run mutants [-- [--only <area or text>]... [--workers <count>] [--check]]
  --only     an area such as auth, or a part of a text; may be given several times; default: all
  --workers  how many copies of the project are tested at once; default: as many as there are cores
  --check    only looks whether each text occurs exactly once
Ends with exit code 1 where tests notice fewer than nine of ten, and 2 where nothing could be tested.`

const options = {
  only: { type: 'string', multiple: true },
  workers: { type: 'string' },
  check: { type: 'boolean', default: false },
} as const

const { chosen, workers, check } = readArguments(usage, { options }, ({ values }) => {
  const { only = [''], check, workers = String(availableParallelism()) } = values
  const unknown = only.find((one) => !mutants.some(({ area, text }) => area === one || text.includes(one)))
  if (unknown !== undefined)
    throw new Error(
      `--only: no area and no text of a mutant is "${unknown}"; the areas are ${[...new Set(mutants.map(({ area }) => area))].join(', ')}`,
    )
  const chosen = mutants.filter(({ area, text }) => only.some((one) => area === one || text.includes(one)))
  return { chosen, check, workers: readCount('--workers', workers, 256) }
})

const project = resolve(import.meta.dirname, '../..')
const sources = globSync(['lib/**/*.ts', 'infra/{settings,stack}/**/*.ts'], { cwd: project }).map((file) => ({
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
    ...(count === 1 ? [] : [`the text occurs ${count} times in lib/, infra/settings/ and infra/stack/, not once`]),
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
  assertCurrent(chosen)
  if (check) return console.log(`${chosen.length} mutants, each of a text that occurs once`)
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
