import { resolve } from 'node:path'
import type { Plugin } from 'esbuild'

const processors = resolve(import.meta.dirname, '../../node_modules/zod/v4/core/json-schema-processors.js')

/**
 * Keeps zod's conversion to JSON Schema, 20 KB, out of what functions load at once. Zod's index re-exports it, and
 * esbuild puts a file that an index names and that is used on demand into the part that is always loaded.
 */
export const jsonSchemaPlugin: Plugin = {
  name: 'json-schema',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^zod\/v4\/core$/ }, ({ importer }) =>
      // These take `toJSONSchema` and nothing else from there; types are gone by now.
      /[\\/]lib[\\/](table[\\/]form-schema|openapi[\\/][\w-]+)\.ts$/.test(importer) ? { path: processors } : undefined,
    )
    onResolve({ filter: /(^|\/)(to-json-schema|json-schema-processors)\.js$/ }, ({ importer }) =>
      /[\\/]zod[\\/]v4[\\/](core[\\/]index|mini[\\/]external)\.js$/.test(importer)
        ? { path: 'zod-json-schema', namespace: 'on-demand' }
        : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'on-demand' }, () => ({ contents: 'export const toJSONSchema = undefined' }))
  },
}
