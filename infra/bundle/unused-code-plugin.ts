import type { Plugin } from 'esbuild'

/**
 * Leaves out of every bundle what is not used there. Logical replication and large objects, which the driver's only entry brings
 * along, throw if they are called. The checks of a table's form, of who shares
 * views and of what can be edited are passed before a table is bundled.
 */
export const leftOutPlugin: Plugin = {
  name: 'left-out',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]postgres[\\/]src[\\/](subscribe|large)\.js$/ }, () => ({
      contents: `export default () => () => { throw new Error('this part of the driver is not in the bundle') }`,
    }))
    onLoad({ filter: /[\\/]lib[\\/]table[\\/]check-(shape|sharing|editing)\.ts$/ }, () => ({
      contents: 'export const checkShape = () => {}, checkSharing = () => {}, checkEditing = () => {}',
    }))
  },
}
