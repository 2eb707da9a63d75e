import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { formerName, presentName } from '../../../lib/table/former-names.ts'
import { createFinding, type Finding } from './finding.ts'

/** Finds the former names whose sunset is today or was before: they may be removed. */
export function lintFormerNames(table: CompiledTable): readonly Finding[] {
  const today = new Date().toISOString().slice(0, 10)
  const parts = [...table.columns, ...table.filters.values(), ...table.rowActions, ...table.bulkActions]
  return parts.flatMap((part) => {
    const { formerly } = part.definition
    if (formerly === undefined || formerly.sunset > today) return []
    const text = `the sunset of the former name ${formerName(part)} was ${formerly.sunset}`
    const fix = `remove "formerly" from ${presentName(part)}, or name a later sunset; saved views that use the name lose it`
    return [createFinding(table, 'sunset', presentName(part), { level: 'warning', text, fix })]
  })
}
