import type { Plugin } from 'esbuild'

/**
 * Leaves out of every bundle what is not used there. The driver's logical replication and large objects throw if they
 * are called. Drizzle's spans need a tracer, which is never set. A table passes the checks of definitions before it is
 * bundled.
 */
export const leftOutPlugin: Plugin = {
  name: 'left-out',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]postgres[\\/]src[\\/](subscribe|large)\.js$/ }, () => ({
      contents: `export default () => () => { throw new Error('this part of the driver is not in the bundle') }`,
    }))
    onLoad({ filter: /[\\/]drizzle-orm[\\/]tracing\.js$/ }, () => ({
      contents: 'export const tracer = { startActiveSpan: (name, run) => run() }',
    }))
    onLoad({ filter: /[\\/]lib[\\/]table[\\/]check-(shape|columns|definition|sources|filter)\.ts$/ }, () => ({
      contents: [
        'Shape',
        'Branches',
        'Settings',
        'Registry',
        'Key',
        'Computed',
        'Sortables',
        'Columns',
        'Relations',
        'Editing',
        'Labels',
        'Actions',
        'FormerNames',
        'Filter',
      ]
        .map((name) => `export const check${name} = () => {}`)
        .join('\n'),
    }))
  },
}
