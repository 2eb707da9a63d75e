import type { Plugin } from 'esbuild'

/**
 * Leaves out of every bundle what the driver's only entry would bring along and the service does not use: logical replication
 * and large objects. Called all the same, they throw.
 */
export const leftOutPlugin: Plugin = {
  name: 'left-out',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]postgres[\\/]src[\\/](subscribe|large)\.js$/ }, () => ({
      contents: `export default () => () => { throw new Error('this part of the driver is not in the bundle') }`,
    }))
  },
}
