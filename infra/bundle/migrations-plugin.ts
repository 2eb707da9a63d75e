import type { Plugin } from 'esbuild'
import { readMigrations } from '../../lib/db/migration-files.ts'

export const migrationsFolder = new URL('../../tables/migrations/', import.meta.url)

/** Puts the files of the folder in place of `#migrations`, which reads them from it on a developer's machine. */
export const migrationsPlugin: Plugin = {
  name: 'migrations',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#migrations$/ }, () => ({ path: 'migrations', namespace: 'migrations' }))
    onLoad({ filter: /.*/, namespace: 'migrations' }, () => ({
      contents: `export const migrations = ${JSON.stringify(readMigrations(migrationsFolder))}`,
    }))
  },
}
