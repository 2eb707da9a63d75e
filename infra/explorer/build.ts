import { basename, extname, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { collectLicenses } from './licenses.ts'

/** A file of the page as the function serves it: bodies are base64, the name changes with the content. */
export interface BuiltFile {
  readonly name: string
  readonly type: string
  readonly br: string
  readonly gzip: string
}

/**
 * `script` and `style` are what a first look needs; `parts` are scripts that the page loads when it needs them.
 * `licenses`, to which each script refers, is loaded by nobody but people. Its name stays the same.
 */
export interface BuiltPage {
  readonly script: BuiltFile
  readonly style: BuiltFile
  readonly parts: readonly BuiltFile[]
  readonly licenses: BuiltFile
}

const licensesName = 'licenses.txt'

const page = resolve(import.meta.dirname, 'page')
const firstModule = resolve(page, 'main.tsx')

/**
 * Keeps the page in one script beside its parts. esbuild makes a file of each set of entry points that share code. When
 * each part also imports all of the page, there is one such set.
 */
const partsPlugin: Plugin = {
  name: 'parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' && resolveDir.startsWith(page)
        ? { path: resolve(resolveDir, path), namespace: 'part' }
        : undefined,
    )
    onResolve({ filter: /^first$/, namespace: 'part' }, () => ({ path: firstModule, sideEffects: true }))
    onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({
      contents: `import 'first'\nexport * from ${JSON.stringify(path)}`,
      resolveDir: page,
    }))
  },
}

/** Leaves out what opens Base UI's popups under a pointer: the page opens them by a click alone. */
const clickPlugin: Plugin = {
  name: 'click',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](useHover(Reference|Floating)Interaction|safePolygon)\.mjs$/ }, ({ path }) => ({
      contents: `export const ${basename(path, '.mjs')} = () => undefined`,
    }))
  },
}

const settings = {
  absWorkingDir: import.meta.dirname,
  entryPoints: { explorer: firstModule },
  outdir: '/out',
  // A name changes with the content, and with that of what it imports.
  entryNames: 'explorer-[hash]',
  chunkNames: 'explorer-[hash]',
  bundle: true,
  splitting: true,
  metafile: true,
  plugins: [partsPlugin, clickPlugin],
  minify: true,
  // The licences of the packages ask for their texts in each copy: one file has those of all.
  legalComments: 'none',
  banner: { js: `/*! Licenses: ${licensesName} */` },
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
  const { outputFiles, metafile } = await build(settings)
  const { entry, script } = findFirstFiles(metafile)
  const files = outputFiles
    .filter(({ path }) => basename(path) !== entry)
    .map(({ path, contents }) => compressFile(basename(path), contents, quality))
  const style = files.find(({ name }) => name.endsWith('.css'))
  const first = files.find(({ name }) => name === script)
  if (style === undefined || first === undefined) throw new Error('The explorer was built without its script or style.')
  const texts = await collectLicenses(metafile, settings.absWorkingDir)
  const licenses = compressFile(licensesName, Buffer.from(texts), quality)
  return { script: first, style, parts: files.filter((file) => file !== style && file !== first), licenses }
}

/** The entry point is nothing but an import of the script, which therefore goes into the page instead. */
function findFirstFiles({ outputs }: Metafile): { readonly entry: string; readonly script: string } {
  const [path = '', entry] =
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx')) ?? []
  const imported = entry?.imports.filter(({ kind }) => kind === 'import-statement') ?? []
  const [script] = imported
  if (script === undefined || imported.length > 1 || Object.keys(entry?.inputs ?? {}).length > 0) {
    throw new Error(
      'The explorer has more than one first script: load other packages in a module of page/ by import().',
    )
  }
  return { entry: basename(path), script: basename(script.path) }
}

const types: Readonly<Record<string, string>> = { '.css': 'text/css', '.js': 'text/javascript', '.txt': 'text/plain' }

function compressFile(name: string, contents: Uint8Array, quality: number): BuiltFile {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length }
  return {
    name,
    type: `${types[extname(name)]}; charset=utf-8`,
    br: brotliCompressSync(contents, { params }).toString('base64'),
    gzip: gzipSync(contents, { level: 9 }).toString('base64'),
  }
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
