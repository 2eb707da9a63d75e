import { readFile, writeFile } from 'node:fs/promises'

const results = new URL('./results/', import.meta.url)

/** Three digits: runs differ by more than the rest. */
const round = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(value >= 1_000 ? 4 : 3)) : value

/** Keeps what a run measured as `results/<name>.json`, from which its tables and charts are drawn. */
export const writeResults = (name: string, result: object): Promise<void> =>
  writeFile(new URL(`${name}.json`, results), `${JSON.stringify(result, round, 2)}\n`)

/** Reads what a run of the same command has kept. */
export const readResults = async <Result>(name: string): Promise<Result> =>
  JSON.parse(await readFile(new URL(`${name}.json`, results), 'utf8'))
