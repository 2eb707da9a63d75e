import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../../../lib/client')

const bundle = async (file: string) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [resolve(folder, file)],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    write: false,
    metafile: true,
  })
  return { bytes: gzipSync(outputFiles[0]?.contents ?? '').length, inputs: Object.keys(metafile.inputs) }
}

/** The adapters that are larger than 2 KB. */
const maxBytes: Readonly<Record<string, number>> = {
  'ag-grid.ts': 4_250,
  'ag-grid-selection.ts': 2_250,
  'data-tables.ts': 2_500,
  'mui-data-grid.ts': 2_250,
  'react-admin.ts': 2_250,
  'react-admin-editing.ts': 2_200,
  'refine.ts': 2_400,
  'refine-editing.ts': 2_200,
}

describe('the client as a page loads it', () => {
  it('is smaller than 6.2 KB gzipped and has nothing but its own files in it', async () => {
    const { bytes, inputs } = await bundle('index.ts')
    expect(bytes).toBeLessThan(6_200)
    expect(inputs.filter((path) => !path.includes('lib/client/'))).toEqual([])
  })

  it.each([
    ['changes.ts', 3_400],
    ['imports.ts', 2_200],
    ['live.ts', 5_400],
  ])('has %s as a file of its own', async (file, max) => {
    const { bytes, inputs } = await bundle(file)
    expect(bytes).toBeLessThan(max)
    expect(inputs.filter((path) => !path.includes('lib/client/'))).toEqual([])
  })

  it.each(readdirSync(resolve(folder, 'adapters')))('with %s is a little larger, without the grid', async (file) => {
    const { bytes, inputs } = await bundle(`adapters/${file}`)
    expect(bytes).toBeLessThan(maxBytes[file] ?? 2_000)
    expect(inputs.filter((path) => !path.includes('lib/client/'))).toEqual([])
  })
})
