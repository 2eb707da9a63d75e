import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * The file of a data set of the npm package vega-datasets: works of the United States government, in the public domain.
 */
export const seedFile = (name: string): string =>
  join(dirname(createRequire(import.meta.url).resolve('vega-datasets')), '../data', name)
