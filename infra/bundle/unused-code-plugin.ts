import type { Plugin } from 'esbuild'

/**
 * Leaves out of every bundle what is not used there. The driver's only entry brings logical replication and large objects
 * along, which throw if they are called. The checks of a table's form, of its actions and former names, of who shares views and of what can be
 * edited are passed before a table is bundled.
 */
export const leftOutPlugin: Plugin = {
  name: 'left-out',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]postgres[\\/]src[\\/](subscribe|large)\.js$/ }, () => ({
      contents: `export default () => () => { throw new Error('this part of the driver is not in the bundle') }`,
    }))
    onLoad({ filter: /[\\/]lib[\\/]table[\\/]check-(shape|sharing|editing|actions|former-names)\.ts$/ }, () => ({
      contents: ['Shape', 'Sharing', 'Editing', 'Actions', 'FormerNames']
        .map((name) => `export const check${name} = () => {}`)
        .join('\n'),
    }))
  },
}
