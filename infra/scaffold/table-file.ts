import type { ExistingSchema } from './existing-schema.ts'
import { draftLabel, englishLabel, type Names, property, propertyName } from './names.ts'
import { tellsOwner } from './owner-columns.ts'
import type { CatalogueTable } from './read-catalogue.ts'
import { type DraftRelation, relationLabel, type TableDraft } from './table-draft.ts'
import { filtersText } from './table-filters.ts'

export interface TableFile {
  readonly table: CatalogueTable
  readonly names: Names
  readonly draft: TableDraft
  readonly known: ExistingSchema
  /** Whether everybody who is signed in may see every row; else that is left to be decided. */
  readonly everyone: boolean
}

/** Builds the table file; it compiles and runs as it is. */
export function tableFile({ table, names, draft, known, everyone }: TableFile): string {
  const constants = [names.schema, ...draft.relations.map(({ reference }) => constantName(reference.table, known))]
  const imported = [...new Set(constants)].sort().join(', ')
  return `import { ${everyone ? 'everyRow' : 'or'} } from '#lib'
import { defineTable } from './identity.ts'
import { ${imported} } from './schema/index.ts'

/** ${(table.comment ?? `${englishLabel(table.name)}: what they are, and who sees which of them.`).replaceAll('*/', '* /')} */
export const ${names.definition} = defineTable({
  name: ${JSON.stringify(table.name)},
  label: ${draftLabel(englishLabel(table.name))},
  from: ${names.schema},
  key: ${JSON.stringify(draft.key)},
${relationsText(draft, known)}${scopeText(table, names, everyone)}

  // Sortable are the columns that lead an index: any other order would sort all rows.
  columns: {
${columnsText(draft)}
  },
  defaultSort: ${JSON.stringify(draft.defaultSort)},
  // Counts what fits into 150 ms: no page waits longer for its total. 'exact' always counts.
  count: 'auto',
  // Refuses late pages by number, and orders by computed columns or those of relations, that take longer.
  pageBudgetMs: 2_000,
${filtersText(table, draft)}})
`
}

const constantName = (table: string, known: ExistingSchema): string => known.tables.get(table)?.constant ?? table

function relationsText({ relations }: TableDraft, known: ExistingSchema): string {
  if (relations.length === 0) return ''
  const entries = relations.map(({ name, reference }) => {
    const on = reference.columns.map(
      (column, index) => `${propertyName(column)}: ${JSON.stringify(reference.targets[index])}`,
    )
    return `    ${propertyName(name)}: { table: ${constantName(reference.table, known)}, on: { ${on.join(', ')} } },`
  })
  return `  relations: {\n${entries.join('\n')}\n  },\n`
}

function scopeText({ columns }: CatalogueTable, { schema }: Names, everyone: boolean): string {
  if (everyone) return '  scope: everyRow,'
  const owner = columns.find(({ name }) => tellsOwner(name))?.name
  const example =
    owner === undefined
      ? ''
      : `
  // ${owner} may tell, if it is a claim of identity.ts: ({ identity: { claims } }) => eq(${property(schema, owner)}, claims.${owner}).`
  return `  // Decide whose rows these are: until then no caller sees a row. everyRow of #lib shows all rows to every caller.${example}
  scope: () => or(),`
}

function columnsText({ columns, relations, leftOut, sortables, searched }: TableDraft): string {
  const names = columns.map(({ name }) => name)
  const entries = columns.flatMap((column) => [
    `    ${propertyName(column.name)}: { ${columnProperties(column, names, sortables, searched.names).join(', ')} },`,
    ...relations
      .filter(({ reference }) => reference.columns.at(-1) === column.name)
      .map((relation) => relationColumn(relation, names)),
  ])
  const comment = leftOut.map(({ name, because }) => `    // ${name} is left out: ${because}.`)
  return [...entries, ...comment].join('\n')
}

const relationColumn = ({ name, shown }: DraftRelation, columns: readonly string[]): string =>
  `    ${propertyName(`${name}__${shown}`)}: { label: ${draftLabel(relationLabel(name, shown, columns))} },`

const longTexts = /^(note|notes|description|comment|comments|body|text|remarks?)$/

function columnProperties(
  { name, kind, type, values }: TableDraft['columns'][number],
  names: readonly string[],
  sortables: readonly string[],
  searched: readonly string[],
): readonly string[] {
  const decimals = Number(/^numeric\(\d+,(\d+)\)$/.exec(type)?.[1] ?? 0)
  return [
    `label: ${draftLabel(englishLabel(name, names))}`,
    ...(sortables.includes(name) ? ['sortable: true'] : []),
    ...(searched.includes(name) ? ['search: true'] : []),
    // Totals are written with the decimals of their column.
    ...(decimals > 0 ? [`type: 'number', decimals: ${decimals}`] : []),
    ...(kind === 'text' && longTexts.test(name) ? [`type: 'text_truncate'`] : []),
    ...(kind === 'enum' ? [`values: ${valuesText(values ?? [])}`] : []),
    ...(kind === 'json' ? ['format: (value) => (value === null ? null : JSON.stringify(value))'] : []),
  ]
}

const valuesText = (values: readonly string[]): string =>
  `{ ${values.map((value) => `${propertyName(value)}: ${draftLabel(englishLabel(value))}`).join(', ')} }`
