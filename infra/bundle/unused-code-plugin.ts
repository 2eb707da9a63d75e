import type { Plugin } from 'esbuild'

/**
 * Leaves out of every bundle what is not used there: logical replication and large objects, which the driver's only entry would
 * bring along and which throw if they are called, and the checks of a table's form and of who shares views, which tables pass before they are bundled.
 */
export const leftOutPlugin: Plugin = {
  name: 'left-out',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]postgres[\\/]src[\\/](subscribe|large)\.js$/ }, () => ({
      contents: `export default () => () => { throw new Error('this part of the driver is not in the bundle') }`,
    }))
    onLoad({ filter: /[\\/]lib[\\/]table[\\/]check-(shape|sharing)\.ts$/ }, () => ({
      contents: 'export const checkShape = () => {}, checkSharing = () => {}',
    }))
  },
}
