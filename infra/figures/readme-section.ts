import { readFile, writeFile } from 'node:fs/promises'

const readme = new URL('../README.md', import.meta.url)

/** Prints what a command computes, or with `--write` puts it into README.md between `<!-- <command> -->` and its end. */
export async function publishSection(command: string, printed: string): Promise<void> {
  if (!process.argv.includes('--write')) return console.log(printed)
  const begin = `<!-- ${command} -->`
  const end = `<!-- /${command} -->`
  const [before, rest = ''] = (await readFile(readme, 'utf8')).split(begin)
  const [, after] = rest.split(end)
  if (after === undefined) throw new Error(`infra/README.md has no place between ${begin} and ${end}`)
  await writeFile(readme, `${before}${begin}\n\n${printed}\n\n${end}${after}`)
}
