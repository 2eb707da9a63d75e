import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { zstdDecompressSync } from 'node:zlib'
import { type AsyncBuffer, asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet'
import type { TransactionSql } from 'postgres'
import { bulkLoad } from './bulk-load.ts'
import { seedFile } from './seed-files.ts'

const columns = ['date', 'delay', 'distance', 'origin', 'destination'] as const
type Group = Readonly<Record<(typeof columns)[number], ArrayLike<unknown>>>

/**
 * Loads every n-th of the 3,000,000 flights, which the file keeps in the order of their dates: any n spreads evenly.
 */
export async function loadFlights(sql: TransactionSql, every: number, signal: AbortSignal): Promise<void> {
  await bulkLoad(sql, 'flights', async () => {
    const copy = await sql`copy flights (date, delay, distance, origin, destination) from stdin`.writable()
    await pipeline(Readable.from(copyLines(every)), copy, { signal })
  })
}

/** One text per row group, so that no more than one of them is in memory. */
async function* copyLines(every: number): AsyncGenerator<string> {
  const file = await asyncBufferFromFile(seedFile('flights-3m.parquet'))
  const metadata = await parquetMetadataAsync(file)
  let start = 0
  for (const { num_rows } of metadata.row_groups) {
    const end = start + Number(num_rows)
    yield csvLines(await readGroup(file, metadata, start, end), (every - (start % every)) % every, every)
    start = end
  }
}

async function readGroup(file: AsyncBuffer, metadata: FileMetaData, rowStart: number, rowEnd: number): Promise<Group> {
  const group: Record<keyof Group, ArrayLike<unknown>> = {
    date: [],
    delay: [],
    distance: [],
    origin: [],
    destination: [],
  }
  await parquetRead({
    file,
    metadata,
    rowStart,
    rowEnd,
    columns: [...columns],
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
    onChunk: ({ columnName, columnData, rowStart: from, rowEnd: to }) => {
      if (from !== rowStart || to !== rowEnd) throw new Error(`flights-3m.parquet: ${columnName} comes in parts`)
      group[columnName as keyof Group] = columnData
    },
  })
  return group
}

function csvLines({ date, delay, distance, origin, destination }: Group, first: number, every: number): string {
  let lines = ''
  let minute = ''
  let written: number | undefined
  for (let row = first; row < date.length; row += every) {
    const at = (date[row] as Date).getTime()
    // About eleven flights leave in the same minute, one after the other.
    if (at !== written) minute = new Date(at).toISOString().slice(0, 19)
    written = at
    lines += `${minute}\t${delay[row]}\t${distance[row]}\t${origin[row]}\t${destination[row]}\n`
  }
  return lines
}
