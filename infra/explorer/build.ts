import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Plugin } from 'esbuild'

/** A file of the page as the function serves it: bodies are base64, the name changes with the content. */
export interface BuiltFile {
  readonly name: string
  readonly type: string
  readonly br: string
  readonly gzip: string
}

export interface BuiltPage {
  readonly script: BuiltFile
  readonly style: BuiltFile
}

const settings = {
  absWorkingDir: import.meta.dirname,
  entryPoints: { explorer: 'page/main.tsx' },
  outdir: '/out',
  bundle: true,
  minify: true,
  legalComments: 'none',
  charset: 'utf8',
  platform: 'browser',
  target: ['chrome123', 'firefox128', 'safari17.5'],
  format: 'esm',
  jsx: 'automatic',
  // React's interface by Preact: 60 KB less, compressed, and half the time on a phone's main thread.
  alias: {
    'react/jsx-runtime': 'preact/jsx-runtime',
    'react-dom/client': 'preact/compat/client',
    'react-dom': 'preact/compat',
    react: 'preact/compat',
  },
  define: { 'process.env.NODE_ENV': '"production"' },
  write: false,
  logLevel: 'silent',
} as const satisfies BuildOptions

/** Builds the page from page/. `quality` is brotli's, from 0 to 11. Rejects with esbuild's errors. */
export async function buildPage(quality: number): Promise<BuiltPage> {
  const { outputFiles } = await build(settings)
  const file = (extension: string, type: string): BuiltFile => {
    const output = outputFiles.find(({ path }) => path.endsWith(extension))
    if (output === undefined) throw new Error(`the explorer was built without its ${extension}`)
    const hash = createHash('sha256').update(output.contents).digest('base64url').slice(0, 10)
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: output.contents.length,
    }
    return {
      name: `explorer-${hash}${extension}`,
      type: `${type}; charset=utf-8`,
      br: brotliCompressSync(output.contents, { params }).toString('base64'),
      gzip: gzipSync(output.contents, { level: 9 }).toString('base64'),
    }
  }
  return { script: file('.js', 'text/javascript'), style: file('.css', 'text/css') }
}

/** Puts the finished page in place of `#explorer`, which builds it anew on a developer's machine. */
export const explorerPlugin: Plugin = {
  name: 'explorer',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#explorer$/ }, () => ({ path: resolve(import.meta.dirname, 'page'), namespace: 'explorer' }))
    onLoad({ filter: /.*/, namespace: 'explorer' }, async () => ({
      contents: `const files = ${JSON.stringify(await buildPage(11))}\nexport const explorerFiles = async () => files`,
    }))
  },
}
