import type { AnyTableDefinition } from './definition.ts'

/**
 * Throws if a table lets callers share views, and nothing says with whom. Bundles leave it out: functions are only bundled with
 * registries that pass it.
 */
export function checkSharing({ name, views }: AnyTableDefinition, tenant: unknown): void {
  if (views?.shared === true && tenant === undefined)
    throw new Error(`The table "${name}" shares views, but createRegistry has no tenant, which says with whom`)
}
