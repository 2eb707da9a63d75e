import type { Names } from './names.ts'

/** tables/index.ts with one table more in its registry. Throws where it is written in another way than expected. */
export function addToRegistry(index: string, { file, definition }: Names): string {
  const list = /createRegistry\(\s*\[([^\]]*)\]/.exec(index)
  if (list === null)
    throw new Error(
      'tables/index.ts has no createRegistry([…]) with a list of tables; write such a list there, and run this again',
    )
  const tables = (list[1] ?? '').replace(/,?\s*$/, '')
  const longer = list[0].replace(list[1] ?? '', tables === '' ? definition : `${tables}, ${definition}`)
  return `import { ${definition} } from './${file}.ts'\n${index.replace(list[0], () => longer)}`
}

/** tables/schema/index.ts with what another file declares. */
export const addExports = (index: string, file: string, constants: readonly string[]): string =>
  `${index.trimEnd()}\nexport { ${[...constants].sort().join(', ')} } from './${file}'\n`
