import { readFile, writeFile } from 'node:fs/promises'
import { runCommand } from '../run-command.ts'

const readme = new URL('../README.md', import.meta.url)

const options = { write: { type: 'boolean', default: false } } as const

/**
 * Runs a command that prints what it computes, or with `--write` puts it into README.md between `<!-- <command> -->`
 * and its end.
 */
export function publishSection(command: string, compute: () => string): Promise<void> {
  const usage = `Usage: ${command} [-- --write]\n  --write  puts the tables into infra/README.md instead of printing them`
  return runCommand(usage, { options }, async ({ values }) => {
    if (values.write) await replaceSection(readme, command, compute())
    else console.log(compute())
    return 0
  })
}

/**
 * Replaces the text of a page between `<!-- <name> -->` and `<!-- /<name> -->`. Throws if the page has no such place.
 */
export async function replaceSection(page: URL, name: string, text: string): Promise<void> {
  const { before, after } = await splitPage(page, name)
  await writeFile(page, `${before}\n\n${text}\n\n${after}`)
}

/** Returns the text that `replaceSection` replaces. Throws if the page has no such place. */
export const readSection = async (page: URL, name: string): Promise<string> => (await splitPage(page, name)).text

async function splitPage(page: URL, name: string) {
  const begin = `<!-- ${name} -->`
  const end = `<!-- /${name} -->`
  const [before, rest = ''] = (await readFile(page, 'utf8')).split(begin)
  const [text = '', after] = rest.split(end)
  if (after === undefined)
    throw new Error(`${page.pathname} has no ${begin} … ${end}; add both comments where the text belongs`)
  return { before: `${before}${begin}`, text: text.trim(), after: `${end}${after}` }
}
