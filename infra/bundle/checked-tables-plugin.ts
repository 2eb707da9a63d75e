import type { Plugin } from 'esbuild'

/**
 * Checks the form of every table file before functions are bundled, and leaves that check out of the bundles: what was bundled has
 * passed it, and a cold start need not read it.
 */
export const checkedTablesPlugin: Plugin = {
  name: 'checked-tables',
  setup({ onStart, onLoad }) {
    onStart(async () => {
      try {
        // biome-ignore lint/style/noRestrictedImports: what is bundled has to be loaded once
        await import('#tables')
        return null
      } catch (error) {
        return { errors: [{ text: error instanceof Error ? error.message : String(error) }] }
      }
    })
    onLoad({ filter: /[\\/]lib[\\/]table[\\/]check-shape\.ts$/ }, () => ({
      contents: 'export const checkShape = () => {}',
    }))
  },
}
