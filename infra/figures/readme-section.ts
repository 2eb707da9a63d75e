import { readFile, writeFile } from 'node:fs/promises'

const readme = new URL('../README.md', import.meta.url)

/**
 * Prints what a command computes, or with `--write` puts it into README.md between `<!-- <command> -->` and its end.
 */
export async function publishSection(command: string, printed: string): Promise<void> {
  if (!process.argv.includes('--write')) return console.log(printed)
  await replaceSection(readme, command, printed)
}

/**
 * Replaces the text of a page between `<!-- <name> -->` and `<!-- /<name> -->`. Throws if the page has no such place.
 */
export async function replaceSection(page: URL, name: string, text: string): Promise<void> {
  const begin = `<!-- ${name} -->`
  const end = `<!-- /${name} -->`
  const [before, rest = ''] = (await readFile(page, 'utf8')).split(begin)
  const [, after] = rest.split(end)
  if (after === undefined)
    throw new Error(`${page.pathname} has no ${begin} … ${end}; add both comments where the text belongs`)
  await writeFile(page, `${before}${begin}\n\n${text}\n\n${end}${after}`)
}
