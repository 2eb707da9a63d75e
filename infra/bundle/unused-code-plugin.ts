import type { Plugin } from 'esbuild'

/**
 * Leaves out of every bundle what is not used there: the driver's logical replication and large objects, which throw if they
 * are called, drizzle's spans, which need a tracer that is never set, and the checks of definitions, which a table passes before
 * it is bundled.
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
    onLoad({ filter: /[\\/]lib[\\/]table[\\/]check-(shape|definition|date-limits)\.ts$/ }, () => ({
      contents: ['Shape', 'Sharing', 'Editing', 'Actions', 'FormerNames', 'DateLimits']
        .map((name) => `export const check${name} = () => {}`)
        .join('\n'),
    }))
  },
}
